import type { Queries } from '@notify/database'
import { coalesce } from '@notify/service-kit'
import { callbackIdentity, type NewCallback, recordCallbacks } from './callback-store.ts'

/** Records a callback and publishes its event once; returns whether it was new. */
export type RecordCallback = (callback: NewCallback) => Promise<boolean>

/** Commits concurrent callbacks of all kinds together. */
export function createCallbackRecorder({ db, wakeOutbox }: { db: Queries; wakeOutbox(): void }): RecordCallback {
  return coalesce<NewCallback, boolean>({
    maxBatch: 512,
    maxInFlight: 2,
    // The carrier waits for its answer, but not impatiently.
    minIntervalMs: 100,
    async run(callbacks) {
      const byIdentity = new Map(callbacks.map((one) => [callbackIdentity(one), one]))
      const isNew = await recordCallbacks(db, [...byIdentity.values()])
      if (isNew.size > 0) wakeOutbox()
      return callbacks.map((one) => isNew.has(callbackIdentity(one)))
    },
  })
}
