import { type createDomain as contract, newId } from '@notify/contracts'
import type { Run } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { answerOnce } from './answer-once.ts'
import { describeDomain } from './domain-records.ts'
import { enqueueDomainChange, findDomainByName, insertDomain, privateKeyPlace } from './domain-store.ts'
import { findSesRegion, planIdentities } from './identity-store.ts'
import { type DkimKey, makeDkimKey } from './make-dkim-key.ts'
import { readDomain } from './read-domain.ts'

/** Adds a sending domain with a key pair of its own; the carriers are told of it by the worker. */
export const createDomain: Handler<Context, typeof contract> = async (context, request) => {
  const { tenant_id: tenantId } = request.principal
  const domain = readDomain(request.body.domain)
  const reply = await answerOnce(context, request, {
    // For a known domain no key is made; whether that is a refusal or a repetition is told apart below.
    prepare: async () => ((await findDomainByName(context.db.run, tenantId, domain)) ? undefined : makeDkimKey()),
    effect: (run, key) => addDomain(context, run, tenantId, domain, key),
  })
  context.wakeOutbox()
  return reply
}

async function addDomain(
  { config, secrets: { keyRing } }: Context,
  run: Run,
  tenantId: string,
  domain: string,
  prepared: DkimKey | undefined,
): Promise<Reply> {
  await refuseKnown(run, tenantId, domain)
  const id = newId('dom')
  const key = prepared ?? (await makeDkimKey())
  const added = {
    ...key,
    id,
    tenantId,
    domain,
    privateKey: keyRing.encrypt(key.privateKey, privateKeyPlace(tenantId, id)),
    mailFromRegion: (await findSesRegion(run, keyRing, tenantId)) ?? config.SES_REGION ?? null,
    firstCheckMs: config.DOMAIN_RECHECK_FIRST,
  }
  const row = await insertDomain(run, added, config.DOMAINS_PER_TENANT)
  if (!row) {
    await refuseKnown(run, tenantId, domain)
    throw new Problem(
      'domain_limit_reached',
      `A tenant may have ${config.DOMAINS_PER_TENANT} sending domains; remove one`,
    )
  }
  await planIdentities(run, id)
  await enqueueDomainChange(run, row, row.status)
  return new Reply(201, JSON.stringify(describeDomain(row, config.SPF_INCLUDE)))
}

async function refuseKnown(run: Run, tenantId: string, domain: string): Promise<void> {
  const known = await findDomainByName(run, tenantId, domain)
  if (known) throw new Problem('domain_exists', `${domain} has been added already, as ${known.id}`)
}
