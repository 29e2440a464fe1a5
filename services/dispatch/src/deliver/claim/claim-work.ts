import { setTimeout as delay } from 'node:timers/promises'
import { newId } from '@notify/contracts'
import { isUnavailable } from '@notify/database'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import type { LaneOf } from '../queues/queue-store.ts'
import { type Settlement, settleAttempts } from '../settle/settle-store.ts'
import { type Claimed, claimForSending, type Wanted } from './claim-store.ts'
import { putBackAttempts, putBackClaims, type Unmade } from './put-back-store.ts'

/** Claims the messages of a lane and settles their attempts. */
export interface Claims {
  /** @throws Error when Postgres does not answer; claims that it may have made are requeued */
  take(wanted: readonly Wanted[]): Promise<Claimed>
  settle(settlement: Settlement): Promise<void>
  putBack(unmade: Unmade): Promise<void>
  /** Repeats work on an answer that only this process knows, as `settle` does, until it succeeds. @throws Error as `settle` */
  persist<T>(work: () => Promise<T>): Promise<T>
}

const batch = { maxBatch: 128, maxInFlight: 2, minIntervalMs: 40 }

interface ClaimOptions {
  /** How long an attempt may take; older ones were left by a crash. */
  leaseMs: number
  /** Whether the process is about to end. */
  isStopping: () => boolean
}

export function createClaims(
  { db, metrics, wakeOutbox }: Pick<Context, 'db' | 'metrics' | 'wakeOutbox'>,
  lane: LaneOf,
  { leaseMs, isStopping }: ClaimOptions,
): Claims {
  const persist = persistFor(leaseMs, isStopping)
  const settle = coalesce<Settlement, undefined>({
    ...batch,
    async run(settlements) {
      // Only this process knows the carrier's response, so recording it is retried.
      const { latencies } = await persist(() => settleAttempts(db, settlements))
      metrics.took(latencies)
      wakeOutbox()
      return settlements.map(() => undefined)
    },
  })
  const putBack = coalesce<Unmade, undefined>({
    ...batch,
    async run(unmade) {
      await persist(() => putBackClaims(db, unmade))
      // A retry may be due: this wakes the scheduler, which may run in another process.
      wakeOutbox()
      return unmade.map(() => undefined)
    },
  })
  return {
    settle,
    putBack,
    persist,
    async take(wanted) {
      const count = wanted.reduce((sum, { most }) => sum + most, 0)
      const attemptIds = Array.from({ length: count }, () => newId('att'))
      const claimed = await claimForSending(db, lane, wanted, attemptIds, leaseMs / 1000).catch(async (fault) => {
        // Perhaps only the answer was lost. Unless the claims are requeued, their attempts end as unknown, although no
        // carrier was called.
        const forget = () => persist(() => putBackAttempts(db, attemptIds))
        await forget()
        // A frozen Postgres may execute the claim after it was requeued.
        setTimeout(() => void forget().catch(() => {}), lateClaimMs).unref()
        throw fault
      })
      if (claimed.refused > 0) wakeOutbox()
      return claimed
    },
  }
}

const longestPauseMs = 1000
/** Postgres may still execute a statement this long after a stall. */
const lateClaimMs = 2000

/**
 * Tries again until it succeeds or the time is over; the last failure is thrown. While Postgres is away or locked no time passes unless
 * the process stops: what a carrier answered is known here alone, and without it the message may be sent twice.
 */
function persistFor(forMs: number, isStopping: () => boolean) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    let until: number | undefined
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await work()
      } catch (error) {
        if (isUnavailable(error) && !isStopping()) until = undefined
        else until ??= performance.now() + forMs
        if (until !== undefined && performance.now() + pauseMs > until) throw error
        await delay(pauseMs)
      }
    }
  }
}
