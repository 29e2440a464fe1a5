import type { CarrierAnswer } from '@notify/carriers/sending'
import type { Lane } from '@notify/contracts'
import type { Config } from '../../config.ts'

export interface RetryPolicy {
  /** Longest wait before each further attempt, in milliseconds. */
  retryDelaysMs: readonly number[]
  /** How long an unknown outcome waits for a receipt. */
  unknownGraceMs: number
  /** The same before a code is sent again, because codes expire soon. */
  otpGraceMs: number
  /** 0 to 1, drawn for each wait. */
  random(): number
}

export function retryPolicyOf(
  config: Pick<Config, 'SEND_RETRY_DELAYS' | 'UNKNOWN_GRACE' | 'UNKNOWN_GRACE_OTP'>,
): RetryPolicy {
  const { SEND_RETRY_DELAYS: retryDelaysMs, UNKNOWN_GRACE: unknownGraceMs } = config
  const otpGraceMs = Math.min(config.UNKNOWN_GRACE_OTP, unknownGraceMs)
  return { retryDelaysMs, unknownGraceMs, otpGraceMs, random: Math.random }
}

/** What happens to a message when an attempt has ended. */
export type NextStep =
  | { status: 'sent' }
  | { status: 'failed'; reason: string; retryable: boolean }
  /**
   * Stays queued. After the wait it is sent again, or failed with this reason, unless a receipt settled it before.
   * `failsOver`: the next attempt uses a provider that was not tried since the last wait.
   */
  | { status: 'queued'; afterMs: number; whenDue: 'send' | 'give_up'; reason: string | null; failsOver: boolean }

/** The state of a message when an attempt has ended. */
export interface Situation {
  lane: Lane
  /** The step of the retry schedule, from 1: since acceptance or the last operator retry. */
  place: number
  /** Whether an available provider was not tried since the last wait. */
  otherProvider: boolean
}

/** Lanes in which a duplicate is better than a loss. */
const duplicatesAllowed: Record<Lane, boolean> = { otp: true, transactional: true, bulk: false }

export const unknownReason =
  'Outcome unknown: the carrier did not answer and sent no callback; it may have been delivered'

/**
 * The only retry policy. A temporary refusal goes to the next provider at once and uses no step of the schedule. An unknown
 * outcome waits for a receipt first; sending again then uses a step, with another provider too.
 */
export function decideNext(
  answer: CarrierAnswer,
  { lane, place, otherProvider }: Situation,
  policy: RetryPolicy,
): NextStep {
  const reason = reasonOf(answer)
  const longestMs = policy.retryDelaysMs[place - 1]
  switch (answer.outcome) {
    case 'accepted':
      return { status: 'sent' }
    case 'rejected_permanent':
      return { status: 'failed', reason, retryable: false }
    case 'rejected_retryable': {
      if (otherProvider) return again(0, true)
      if (longestMs === undefined) return { status: 'failed', reason, retryable: true }
      return again(waitMs(longestMs, answer.retryAfterMs, place, policy), false)
    }
    case 'unknown': {
      if (duplicatesAllowed[lane] && longestMs !== undefined)
        return again(lane === 'otp' ? policy.otpGraceMs : policy.unknownGraceMs, otherProvider)
      const afterMs = policy.unknownGraceMs
      return { status: 'queued', afterMs, whenDue: 'give_up', reason: unknownReason, failsOver: false }
    }
  }
}

const again = (afterMs: number, failsOver: boolean): NextStep => ({
  status: 'queued',
  afterMs,
  whenDue: 'send',
  reason: null,
  failsOver,
})

/** After this many attempts our own delay counts besides Retry-After. */
const believed = 2

/**
 * Full jitter; a wait that the carrier asked for is kept, with a little spread on top. A carrier that asks for the same second
 * again and again would use up the whole schedule in a few of them: from the third time on ours counts too.
 */
function waitMs(longestMs: number, retryAfterMs: number | null, place: number, { random }: RetryPolicy): number {
  const ownMs = longestMs * random()
  if (retryAfterMs === null) return ownMs
  const askedMs = retryAfterMs * (1 + 0.1 * random())
  return retryAfterMs > 0 && place <= believed ? askedMs : Math.max(askedMs, ownMs)
}

function reasonOf({ code, message }: CarrierAnswer): string {
  return message ?? code ?? 'The carrier gave no reason'
}
