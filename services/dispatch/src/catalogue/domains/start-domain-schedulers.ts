import type { OnCommit } from '@notify/database'
import { type Kit, startClaiming, startPeriodic, withLogFields } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { checkDomain } from './check-domain.ts'
import { type StartedCheck, saveCheck, startDueChecks } from './check-store.ts'
import { planIdentities } from './identity-plan-store.ts'
import { checkIdentitiesSoon, claimIdentities, type DueIdentity } from './identity-store.ts'
import { syncIdentity } from './sync-identity.ts'

/** Domains, and registrations, that a worker has in hand. */
const most = 10
const planEveryMs = 15_000
/** A change of a domain wakes both at once. */
const everyMs = 6000
const atLeastMs = 1000

/** Starts the schedulers for due domain checks and carrier registrations. */
export function startDomainSchedulers(kit: Kit, context: Context & { onCommit: OnCommit }): void {
  const { db } = context
  const checks = startClaiming<StartedCheck>(kit, {
    name: 'domain checks',
    everyMs,
    atLeastMs,
    claim: (inHand) => startDueChecks(db.run, most, inHand),
    work(started) {
      const { id: domain_id, tenant_id } = started.row
      return withLogFields({ domain_id, tenant_id }, () => check(context, started))
    },
  })
  context.onCommit(() => checks.stir())
  // Each takes several calls in sequence.
  const leaseMs = context.config.CARRIER_TIMEOUT * 5
  const identities = startClaiming<DueIdentity>(kit, {
    name: 'domain identities',
    everyMs,
    atLeastMs,
    claim: (inHand) => claimIdentities(db.run, { most, leaseMs, inHand }),
    work: (identity) => syncIdentity(context, identity),
  })
  context.onCommit(() => identities.stir())
  startPeriodic(kit, {
    name: 'domain identities plan',
    everyMs: planEveryMs,
    async run() {
      await planIdentities(db.runLong, context.carrierTable)
      identities.stir()
    },
  })
}

async function check(context: Context, started: StartedCheck): Promise<void> {
  const { config, db, log, metrics } = context
  const saved = await saveCheck(db, config, started, await checkDomain(config, started.row))
  if (!saved) return
  metrics.domainChecked(saved.row.status)
  if (!saved.changed) return
  // Their records are published together with ours.
  await checkIdentitiesSoon(db.run, started.row.id)
  context.wakeOutbox()
  log.info({ from: started.row.status, status: saved.row.status }, 'domain status changed')
}
