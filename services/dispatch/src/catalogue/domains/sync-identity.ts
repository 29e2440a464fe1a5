import { DomainsUnmanaged, environmentOf } from '@notify/carriers/sending'
import type { Context } from '../../context.ts'
import { noteKnown, passOnIdentity } from './identity-owner-store.ts'
import {
  type DueIdentity,
  deferIdentity,
  forgetIdentity,
  type Identity,
  openIdentity,
  postponeIdentity,
  settleIdentity,
  stopIdentity,
} from './identity-store.ts'
import { replaceMailFromRegion } from './mail-from-region-store.ts'

type SyncContext = Pick<Context, 'carrierTable' | 'config' | 'db' | 'log' | 'metrics' | 'secrets'>

const longestError = 400

/** Brings a claimed identity to its carrier, or removes it there. A failure is stored, and retried later. */
export async function syncIdentity(context: SyncContext, due: DueIdentity): Promise<void> {
  const { carrierTable, db, log, metrics } = context
  const { domain_id, provider_id } = due
  // A domain may be deleted while its identities are planned.
  const wanted = due.wanted && due.private_key !== null
  try {
    if (due.keeps_domains === false) return await deferIdentity(db.run, due)
    if (wanted && due.deleted_at !== null) return await stopIdentity(db.run, due)
    // After the purge nobody can ask the carrier.
    if (!wanted && ((await passOnIdentity(db.run, carrierTable, due)) || due.purged_at !== null))
      return await forgetIdentity(db.run, due)
    const identity = openIdentity(context, due)
    const registered = await callCarrier(context, identity)
    if (registered) {
      const isOutdated = await replaceMailFromRegion(db.run, context, due, identity.account.region)
      await settleIdentity(db.run, identity, registered, isOutdated ? { first: 0, longest: 0 } : waitsOf(context))
    } else await forgetIdentity(db.run, identity)
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

const waitsOf = ({ config }: SyncContext) => ({ first: config.DOMAIN_RECHECK_FIRST, longest: config.DOMAIN_RECHECK })

async function callCarrier({ config, db }: SyncContext, identity: Identity) {
  const { account, wanted } = identity
  const { carrier, credentials } = account
  const options = {
    timeoutMs: config.CARRIER_TIMEOUT,
    environment: environmentOf(config, carrier),
    note: (known: Identity['wanted']['known']) => noteKnown(db.run, identity, known),
  }
  return carrier.identities?.sync(credentials as never, wanted, options)
}
