import type { EgressOutcome } from '@notify/egress-guard'

/** The outcome of an attempt, and what follows from it. */
export interface Verdict {
  outcome: 'succeeded' | 'failed' | 'exhausted'
  /** Whether the attempt counts against the schedule and the receiver: false when our own DNS or network failed. */
  charged: boolean
  status: number | null
  /** Why it failed, without personal data. */
  error: string | null
  nextInMs: number | null
  /** Whether the receiver answered 410, which disables its subscription. */
  gone: boolean
  /** Whether an operator may try again. */
  retryable: boolean
}

export interface Schedule {
  /** Waits before further attempts, in milliseconds. */
  delaysMs: readonly number[]
  ownFaultDelayMs: number
  /** Charged attempts before this one. */
  charged: number
  /** Attempts before this one that failed in our own network. */
  held: number
  /** From 0 to 1. */
  random: number
}

const jitter = 0.2
const longestRetryAfterMs = 24 * 3_600_000
/** With the default delay, a day: after this many internal faults the receiver is charged. */
const mostHeld = 3000
/** The receiver wants no further requests. */
export const goneStatus = 410
const retryAfterStatuses = [429, 503]

/** Derives the next step of a delivery from an exchange. */
export function judgeOutcome(outcome: EgressOutcome, schedule: Schedule, nowMs = Date.now()): Verdict {
  const failure = {
    outcome: 'failed',
    charged: true,
    status: null,
    nextInMs: null,
    gone: false,
    retryable: true,
  } as const
  if (outcome.kind === 'refused') {
    return { ...failure, outcome: 'exhausted', error: outcome.message, retryable: false }
  }
  if (outcome.kind === 'failed') {
    const { own, message: error } = outcome
    if (own && schedule.held < mostHeld) {
      return { ...failure, charged: false, error, nextInMs: spread(schedule.ownFaultDelayMs, schedule.random) }
    }
    return tryAgain({ ...failure, error }, schedule, 0)
  }
  const { status, headers } = outcome
  if (status >= 200 && status < 300) {
    return { ...failure, outcome: 'succeeded', status, error: null, retryable: false }
  }
  const error = `the receiver answered ${status}`
  if (status === goneStatus) return { ...failure, outcome: 'exhausted', status, error, gone: true, retryable: false }
  const leastMs = retryAfterStatuses.includes(status) ? retryAfterMs(headers['retry-after'], nowMs) : 0
  return tryAgain({ ...failure, status, error }, schedule, leastMs)
}

function tryAgain(verdict: Verdict, { delaysMs, charged, random }: Schedule, leastMs: number): Verdict {
  const delayMs = delaysMs[charged]
  if (delayMs === undefined) return { ...verdict, outcome: 'exhausted' }
  return { ...verdict, nextInMs: Math.max(spread(delayMs, random), leastMs) }
}

const spread = (ms: number, random: number) => Math.round(ms * (1 - jitter + 2 * jitter * random))

/** Seconds, of a repeated header the first, or an HTTP date (RFC 9110 10.2.3), a day at most; 0 for any other value. */
function retryAfterMs(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? ''
  const [, seconds] = /^(\d{1,9})(?:,|$)/.exec(text) ?? []
  const ms = seconds === undefined ? Date.parse(text) - nowMs : Number(seconds) * 1000
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), longestRetryAfterMs) : 0
}
