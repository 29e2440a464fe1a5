import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@notify/contracts'
import { coalesce } from '@notify/service-kit'
import type { WorkerContext } from '../context.ts'
import { type Claim, claimForSending } from './claim-store.ts'
import { putBackClaims, type Unmade } from './put-back-store.ts'
import { type Settlement, settleAttempts } from './settle-store.ts'

/** Claims and settles attempts, each step batched. */
export interface Claims {
  /** Claims a notification; `undefined` when it is not due, in progress, sent or suppressed. */
  take(notificationId: string): Promise<Claim | undefined>
  settle(settlement: Settlement): Promise<void>
  putBack(unmade: Unmade): Promise<void>
}

const batch = { maxBatch: 128, maxInFlight: 2, minIntervalMs: 40 }

/** @param leaseMs how long an attempt may take; what is older was left behind by a crash */
export function createClaims({ db, metrics, wakeOutbox }: WorkerContext, leaseMs: number): Claims {
  const take = coalesce<{ id: string; attempt_id: string }, Claim | undefined>({
    ...batch,
    async run(wanted) {
      const claims = await claimForSending(db, wanted, leaseMs / 1000).catch(async (fault: unknown) => {
        // It may be that only the answer was lost, and nobody was called: left to their lease these would count as attempts
        // that may have reached somebody.
        const forget = () => persistently(() => putBackClaims(db, wanted.map(unmadeOf)), leaseMs)
        await forget()
        // A Postgres that stood still may carry out the claim only now, after it was asked to forget it.
        setTimeout(() => void forget().catch(() => {}), lateClaimMs).unref()
        throw fault
      })
      // A suppressed recipient's notification has failed, which is published.
      if (claims.length < wanted.length) wakeOutbox()
      const byAttempt = new Map(claims.map((one) => [one.attempt_id, one]))
      return wanted.map(({ attempt_id }) => byAttempt.get(attempt_id))
    },
  })
  const settle = coalesce<Settlement, undefined>({
    ...batch,
    async run(settlements) {
      // Only this process knows the carrier's response, so recording it is retried.
      const { latencies } = await persistently(() => settleAttempts(db, settlements), leaseMs)
      metrics.took(latencies)
      wakeOutbox()
      return settlements.map(() => undefined)
    },
  })
  const putBack = coalesce<Unmade, undefined>({
    ...batch,
    async run(unmade) {
      await persistently(() => putBackClaims(db, unmade), leaseMs)
      return unmade.map(() => undefined)
    },
  })
  return { take: (id) => take({ id, attempt_id: newId('att') }), settle, putBack }
}

const unmadeOf = (claim: Unmade['claim']): Unmade => ({ claim, afterMs: 0 })

const longestPauseMs = 1000
/** Postgres may still execute a statement this long after a stall. */
const lateClaimMs = 2000

/** Tries again until it succeeds or the time is over; the last failure is thrown. */
async function persistently<T>(work: () => Promise<T>, forMs: number): Promise<T> {
  const until = performance.now() + forMs
  for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() + pauseMs > until) throw error
      await delay(pauseMs)
    }
  }
}
