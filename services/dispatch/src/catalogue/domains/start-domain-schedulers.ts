import { DomainsUnmanaged, environmentOf } from '@notify/carriers/sending'
import type { OnCommit } from '@notify/database'
import { type Kit, startPeriodic, withLogFields } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { checkDomain } from './check-domain.ts'
import { type StartedCheck, saveCheck, startDueChecks } from './check-store.ts'
import { noteAddition, passOnIdentity } from './identity-owner-store.ts'
import { planIdentities } from './identity-plan-store.ts'
import {
  checkIdentitiesSoon,
  claimIdentities,
  type DueIdentity,
  forgetIdentity,
  type Identity,
  openIdentity,
  postponeIdentity,
  settleIdentity,
} from './identity-store.ts'

const batch = 10
const planEveryMs = 15_000
/** A change of a domain wakes both at once. */
const everyMs = 6000
const atLeastMs = 1000

/** Starts the schedulers for due domain checks and carrier registrations. */
export function startDomainSchedulers(kit: Kit, context: Context & { onCommit: OnCommit }): void {
  const { db } = context
  const checks = startPeriodic(kit, {
    name: 'domain checks',
    everyMs,
    atLeastMs,
    async run() {
      const due = await startDueChecks(db.run, batch)
      const fields = ({ row: { id: domain_id, tenant_id } }: StartedCheck) => ({ domain_id, tenant_id })
      await Promise.all(due.map((started) => withLogFields(fields(started), () => check(context, started))))
      return due.length > 0 || everyMs
    },
  })
  context.onCommit(() => checks.stir())
  const identities = startPeriodic(kit, {
    name: 'domain identities',
    everyMs,
    atLeastMs,
    async run() {
      // Each takes several calls in sequence.
      const leaseMs = context.config.CARRIER_TIMEOUT * 5
      const due = await claimIdentities(db.run, { limit: batch, leaseMs })
      await Promise.all(due.map((identity) => tell(context, identity)))
      return due.length > 0 || everyMs
    },
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

const longestError = 400

async function tell(context: Context, due: DueIdentity): Promise<void> {
  const { db, log, metrics } = context
  const { domain_id, provider_id, wanted } = due
  try {
    if (!wanted && (await passOnIdentity(db.run, due))) {
      await forgetIdentity(db.run, due)
      return
    }
    const identity = openIdentity(context, due)
    const registered = await callCarrier(context, identity)
    if (registered) await settleIdentity(db.run, identity, registered, waitsOf(context))
    else await forgetIdentity(db.run, identity)
    metrics.identitySynced('ok')
  } catch (error) {
    const { name, message } = error as Error
    const reason = name === 'Error' ? message : `${name}: ${message}`
    const text = `The email provider ${provider_id} has not registered the domain yet; it is retried. ${reason}`
    const status = error instanceof DomainsUnmanaged ? 'unmanaged' : undefined
    await postponeIdentity(db.run, due, text.slice(0, longestError), status)
    metrics.identitySynced('failed')
    log.warn({ domain_id, provider_id, wanted, err: error }, 'cannot register a domain with a carrier; retrying')
  }
}

const waitsOf = ({ config }: Context) => ({ first: config.DOMAIN_RECHECK_FIRST, longest: config.DOMAIN_RECHECK })

async function callCarrier({ config, db }: Context, identity: Identity) {
  const { account, wanted } = identity
  const { carrier, credentials } = account
  const options = {
    timeoutMs: config.CARRIER_TIMEOUT,
    environment: environmentOf(config, carrier),
    onAdd: (isAdding: boolean) => noteAddition(db.run, identity, isAdding),
  }
  return carrier.identities?.sync(credentials as never, wanted, options)
}
