import type { Lane } from '@notify/contracts'
import type { CarrierAnswer } from '../carriers/carrier.ts'
import type { Settlement } from './attempt-store.ts'

export interface RetryPolicy {
  /** Longest wait before each further attempt, in milliseconds. */
  retryDelaysMs: readonly number[]
  unknownGraceMs: number
  /** 0 to 1, drawn anew for each wait. */
  random(): number
}

/** Lanes whose events would rather be sent twice than not at all. */
const duplicatesAllowed: Record<Lane, boolean> = { otp: true, transactional: true, bulk: false }

export const unknownReason =
  'Outcome unknown: the carrier did not answer and sent no callback; it may have been delivered'

/**
 * What follows from a carrier's answer.
 * @param roundAttempts attempts since acceptance or the last operator retry, this one included
 */
export function decideNext(
  answer: CarrierAnswer,
  lane: Lane,
  roundAttempts: number,
  policy: RetryPolicy,
): Settlement['next'] {
  const reason = reasonOf(answer)
  const longestMs = policy.retryDelaysMs[roundAttempts - 1]
  switch (answer.outcome) {
    case 'accepted':
      return { status: 'sent' }
    case 'rejected_permanent':
      return { status: 'failed', reason, retryable: false }
    case 'rejected_retryable': {
      if (longestMs === undefined) return { status: 'failed', reason, retryable: true }
      return {
        status: 'queued',
        afterMs: waitMs(longestMs, answer.retryAfterMs, policy),
        whenDue: 'send',
        reason: null,
      }
    }
    case 'unknown': {
      const again = duplicatesAllowed[lane] && longestMs !== undefined
      const afterMs = policy.unknownGraceMs
      return again
        ? { status: 'queued', afterMs, whenDue: 'send', reason: null }
        : { status: 'queued', afterMs, whenDue: 'give_up', reason: unknownReason }
    }
  }
}

/** Full jitter; a wait that the carrier asked for is kept, with a little spread on top. */
function waitMs(longestMs: number, retryAfterMs: number | null, { random }: RetryPolicy): number {
  return retryAfterMs === null ? longestMs * random() : retryAfterMs * (1 + 0.1 * random())
}

function reasonOf({ code, message }: CarrierAnswer): string {
  return message ?? code ?? 'The carrier gave no reason'
}
