import type { CarrierAnswer } from '@notify/carriers/sending'
import type { Lane } from '@notify/contracts'
import type { Config } from '../../config.ts'

export interface RetryPolicy {
  /** Maximum delay before each further attempt, in milliseconds. */
  retryDelaysMs: readonly number[]
  /** How long an unknown outcome waits for a receipt. */
  unknownGraceMs: number
  /** The same for codes; shorter, because codes expire soon. */
  otpGraceMs: number
  /** A number from 0 to 1, drawn for each delay. */
  random(): number
}

export function retryPolicyOf(
  config: Pick<Config, 'SEND_RETRY_DELAYS' | 'UNKNOWN_GRACE' | 'UNKNOWN_GRACE_OTP'>,
): RetryPolicy {
  const { SEND_RETRY_DELAYS: retryDelaysMs, UNKNOWN_GRACE: unknownGraceMs } = config
  const otpGraceMs = Math.min(config.UNKNOWN_GRACE_OTP, unknownGraceMs)
  return { retryDelaysMs, unknownGraceMs, otpGraceMs, random: Math.random }
}

/** What happens to a message after an attempt. */
export type NextStep =
  | { status: 'sent' }
  | { status: 'failed'; reason: string; retryable: boolean }
  /**
   * Stays queued. After the delay it is sent again, or fails with this reason, unless a receipt settles it earlier.
   * `failsOver`: the next attempt uses a provider that was not tried since the last delay.
   */
  | { status: 'queued'; afterMs: number; whenDue: 'send' | 'give_up'; reason: string | null; failsOver: boolean }

/** What the decision depends on besides the answer. */
export interface Situation {
  lane: Lane
  /** The step of the retry schedule, from 1, since acceptance or the last retry by an operator. */
  step: number
  /** Whether an available provider has not been tried since the last delay. */
  otherProvider: boolean
}

/** Lanes in which a duplicate is better than a loss. */
const duplicatesAllowed: Record<Lane, boolean> = { otp: true, transactional: true, bulk: false }

export const unknownReason =
  'Outcome unknown: the carrier did not answer and sent no callback; it may have been delivered'

/**
 * The only retry policy. After a temporary refusal the next provider is tried at once, which uses no step of the schedule.
 * After an unknown outcome a receipt is awaited first; sending again then uses a step, even with another provider.
 */
export function decideNext(
  answer: CarrierAnswer,
  { lane, step, otherProvider }: Situation,
  policy: RetryPolicy,
): NextStep {
  const reason = reasonOf(answer)
  const longestMs = policy.retryDelaysMs[step - 1]
  switch (answer.outcome) {
    case 'accepted':
      return { status: 'sent' }
    case 'rejected_permanent':
      return { status: 'failed', reason, retryable: false }
    case 'rejected_retryable': {
      if (otherProvider) return again(0, true)
      if (longestMs === undefined) return { status: 'failed', reason, retryable: true }
      return again(waitMs(longestMs, answer.retryAfterMs, step, policy), false)
    }
    case 'unknown': {
      if (duplicatesAllowed[lane] && longestMs !== undefined)
        return again(lane === 'otp' ? policy.otpGraceMs : policy.unknownGraceMs, otherProvider)
      const afterMs = policy.unknownGraceMs
      return { status: 'queued', afterMs, whenDue: 'give_up', reason: unknownReason, failsOver: false }
    }
  }
}

/** The delay of a message whose failover has ended without a call; it uses no step. */
export function nextDelayMs(step: number, { retryDelaysMs, random }: RetryPolicy): number {
  return (retryDelaysMs[step - 1] ?? retryDelaysMs.at(-1) ?? 0) * random()
}

const again = (afterMs: number, failsOver: boolean): NextStep => ({
  status: 'queued',
  afterMs,
  whenDue: 'send',
  reason: null,
  failsOver,
})

/** Up to this step of the schedule only Retry-After counts, later our own delay too. */
const believed = 2

/**
 * A random part of the maximum delay, or Retry-After plus up to 10 %. From the third step the longer of both counts: a
 * carrier that always answers with one second would otherwise use up the schedule within seconds.
 */
function waitMs(longestMs: number, retryAfterMs: number | null, step: number, { random }: RetryPolicy): number {
  const ownMs = longestMs * random()
  if (retryAfterMs === null) return ownMs
  const askedMs = retryAfterMs * (1 + 0.1 * random())
  return retryAfterMs > 0 && step <= believed ? askedMs : Math.max(askedMs, ownMs)
}

function reasonOf({ code, message }: CarrierAnswer): string {
  return message ?? code ?? 'The carrier gave no reason'
}
