import { isUnavailable, type Queries } from '@notify/database'
import { bisect, coalesce, createTenantRoom, Problem } from '@notify/service-kit'
import { callbackIdentity, type NewCallback, recordCallbacks } from './callback-store.ts'

/**
 * Records a callback of a tenant's account and publishes its event once; returns whether it was new.
 * @throws Problem `service_unavailable` when its tenant has too many: the carrier must repeat it
 */
export type RecordCallback = (tenantId: string, callback: NewCallback) => Promise<boolean>

const maxBatch = 512
const maxInFlight = 2
/** A post with thousands of reports takes half of the batches, and leaves the other half to other tenants. */
const room = { most: maxBatch * maxInFlight, mostOfTenant: maxBatch }
/** Less than a carrier and the gateway wait: what nobody waits for any more must not fill the memory. */
const longestWaitMs = 5000

/** Commits concurrent callbacks of all kinds together; one that Postgres refuses fails alone. */
export function createCallbackRecorder({ db, wakeOutbox }: { db: Queries; wakeOutbox(): void }): RecordCallback {
  const enter = createTenantRoom(room)
  const recordTogether = async (callbacks: readonly NewCallback[]) => {
    const isNew = await recordCallbacks(db, callbacks)
    return callbacks.map((one) => isNew.has(callbackIdentity(one)))
  }
  const record = coalesce<NewCallback, boolean>({
    maxBatch,
    maxInFlight,
    // The carrier waits for its answer, but not impatiently.
    minIntervalMs: 100,
    async run(callbacks) {
      const byIdentity = new Map(callbacks.map((one) => [callbackIdentity(one), one]))
      const isNew = await bisect([[...byIdentity.values()]], recordTogether, isUnavailable)
      if (isNew.includes(true)) wakeOutbox()
      const resultOf = new Map([...byIdentity.keys()].map((identity, at) => [identity, isNew[at]!]))
      return callbacks.map((one) => resultOf.get(callbackIdentity(one))!)
    },
  })
  return async (tenantId, callback) => {
    const leave = await enter(tenantId, performance.now() + longestWaitMs)
    if (!leave) throw tooMany()
    try {
      return await record(callback)
    } finally {
      leave()
    }
  }
}

const tooMany = () =>
  new Problem('service_unavailable', 'Too many callbacks of this account are being recorded; try again shortly', {
    headers: { 'Retry-After': '1' },
  })
