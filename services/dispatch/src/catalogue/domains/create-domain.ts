import { type createDomain as contract, type Id, newId } from '@notify/contracts'
import { idempotent, type Run } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { auditDomain } from './audit-domain.ts'
import { describeDomain } from './domain-records.ts'
import {
  type DomainRow,
  enqueueDomainChange,
  findDomain,
  findDomainByName,
  hasRoomForDomain,
  insertDomain,
  privateKeyAad,
} from './domain-store.ts'
import { planIdentities } from './identity-plan-store.ts'
import { findMailFromRegion } from './mail-from-region-store.ts'
import { type DkimKey, makeDkimKey } from './make-dkim-key.ts'
import { readDomain } from './read-domain.ts'

/** Adds a sending domain with its own key pair; the worker registers it with carriers. */
export const createDomain: Handler<Context, typeof contract> = idempotent({
  async prepare({ config, db }, { body, principal }) {
    const domain = readDomain(body.domain)
    await refuseKnown(db.run, principal.tenant_id, domain)
    const hasRoom = await hasRoomForDomain(db.run, principal.tenant_id, config.DOMAINS_PER_TENANT)
    if (!hasRoom) throw limitReached(config)
    return { domain, key: await makeDkimKey(principal.tenant_id) }
  },
  async effect(context, request, run, { domain, key }) {
    const row = await addDomain(context, run, request.principal.tenant_id, domain, key)
    await auditDomain(run, request, 'created', row)
    return new Reply(201, JSON.stringify(describeDomain(row, context.config.SPF_INCLUDE)))
  },
  after: (context) => context.wakeOutbox(),
})

async function addDomain(
  context: Context,
  run: Run,
  tenantId: Id<'ten'>,
  domain: string,
  key: DkimKey,
): Promise<DomainRow> {
  const { config, carrierTable, secrets } = context
  await refuseKnown(run, tenantId, domain)
  const id = newId('dom')
  const added = {
    ...key,
    id,
    tenantId,
    domain,
    privateKey: secrets.keyRing.encrypt(key.privateKey, privateKeyAad(tenantId, id)),
    mailFromRegion: (await findMailFromRegion(run, context, tenantId)) ?? config.SES_REGION ?? null,
    firstCheckMs: config.DOMAIN_RECHECK_FIRST,
  }
  const row = await insertDomain(run, added, config.DOMAINS_PER_TENANT)
  if (!row) {
    await refuseKnown(run, tenantId, domain)
    throw limitReached(config)
  }
  await planIdentities(run, carrierTable, id)
  await enqueueDomainChange(run, row, row.status)
  // With the carriers that it is registered at.
  return (await findDomain(run, tenantId, id)) ?? row
}

const limitReached = ({ DOMAINS_PER_TENANT: most }: Context['config']) =>
  new Problem('domain_limit_reached', `A tenant may have at most ${most} sending domains; delete one first`)

async function refuseKnown(run: Run, tenantId: Id<'ten'>, domain: string): Promise<void> {
  const known = await findDomainByName(run, tenantId, domain)
  if (known) throw new Problem('domain_exists', `${domain} exists already: ${known.id}`)
}
