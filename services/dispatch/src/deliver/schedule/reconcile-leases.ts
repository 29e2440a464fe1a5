import type { Queries } from '@notify/database'
import type { RetryPolicy } from '../settle/decide-next.ts'
import { leaseEndsInMs } from './due-store.ts'
import { endExpiredAttempts } from './end-expired-attempts.ts'

/** After an outage of Postgres, workers record within this time what carriers answered meanwhile; their leases may be over. */
const afterOutageMs = 3000

/** How many attempts were ended, or the milliseconds until a lease ends. */
type Reconciled = { inMs: number } | Awaited<ReturnType<typeof endExpiredAttempts>>

/** Ends the attempts of workers that are gone, at each call; not yet of those that an outage of Postgres kept from recording. */
export function createLeaseReconciler(db: Queries, policy: RetryPolicy): () => Promise<Reconciled> {
  let answersSinceMs: number | undefined = Number.NEGATIVE_INFINITY
  return async () => {
    try {
      const endsInMs = await leaseEndsInMs(db)
      answersSinceMs ??= performance.now()
      const inMs = Math.max(endsInMs, answersSinceMs + afterOutageMs - performance.now())
      return inMs > 0 ? { inMs } : await endExpiredAttempts(db, policy)
    } catch (error) {
      answersSinceMs = undefined
      throw error
    }
  }
}
