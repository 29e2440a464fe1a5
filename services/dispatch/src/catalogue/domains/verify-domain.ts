import type { verifyDomain as contract, Id } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { checkDomain } from './check-domain.ts'
import { saveCheck, startCheck } from './check-store.ts'
import { describeDomain } from './domain-records.ts'
import type { DomainRow } from './domain-store.ts'
import { noSuchDomain } from './get-domain.ts'
import { checkIdentitiesSoon } from './identity-store.ts'

/** Looks up the records of a domain now and returns the result; carriers that have not verified it are asked soon. */
export const verifyDomain: Handler<Context, typeof contract> = idempotentAnswer(
  async (context, { params, principal }) => {
    const row = await checkNow(context, principal.tenant_id, params.domain_id)
    return new Reply(200, JSON.stringify(describeDomain(row, context.config.SPF_INCLUDE)))
  },
)

async function checkNow(context: Context, tenantId: Id<'ten'>, id: Id<'dom'>): Promise<DomainRow> {
  const { config, db, metrics } = context
  const started = await startCheck(db.run, tenantId, id)
  if (!started) throw noSuchDomain()
  const saved = await saveCheck(db, config, started, await checkDomain(config, started.row))
  if (!saved) throw noSuchDomain()
  metrics.domainChecked(saved.row.status)
  await checkIdentitiesSoon(db.run, id)
  if (saved.changed) context.wakeOutbox()
  if (saved.taken) {
    throw new Problem(
      'domain_taken',
      `The records of ${saved.row.domain} are correct, but another tenant has verified this domain. Only one tenant can own a domain: delete it there first`,
    )
  }
  return saved.row
}
