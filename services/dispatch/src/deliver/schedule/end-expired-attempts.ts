import type { CarrierAnswer } from '@notify/carriers/sending'
import type { Queries } from '@notify/database'
import { decideNext, type RetryPolicy } from '../settle/decide-next.ts'
import { type Settlement, settleAttempts } from '../settle/settle-store.ts'
import { claimExpiredAttempts, type ExpiredAttempt } from './lease-store.ts'

/** Longer than both statements may take. */
const reconcilerLeaseSeconds = 15

const workerGone: CarrierAnswer = {
  outcome: 'unknown',
  code: null,
  message: 'The worker ended before it could record the answer',
  providerMessageId: null,
  retryAfterMs: null,
}

/**
 * Ends attempts whose worker died: whether the carrier accepted the message is unknown.
 * @returns how many leases had expired, and how many of those attempts this call ended
 */
export async function endExpiredAttempts(
  db: Queries,
  policy: RetryPolicy,
): Promise<{ expired: number; ended: number }> {
  const attempts = await claimExpiredAttempts(db, reconcilerLeaseSeconds)
  if (attempts.length === 0) return { expired: 0, ended: 0 }
  const { closed } = await settleAttempts(
    db,
    attempts.map((one) => settlementOf(one, policy)),
  )
  return { expired: attempts.length, ended: closed }
}

function settlementOf(attempt: ExpiredAttempt, policy: RetryPolicy): Settlement {
  const { lane, round_attempts: step } = attempt
  const { outcome, code, message, providerMessageId } = workerGone
  return {
    notificationId: attempt.notification_id,
    attemptNumber: attempt.number,
    attemptId: attempt.attempt_id,
    leaseExpired: true,
    // The attempt does not record which provider was called, so no failover is possible.
    providerId: null,
    outcome,
    code,
    message,
    providerMessageId,
    next: decideNext(workerGone, { lane, step, otherProvider: false }, policy),
  }
}
