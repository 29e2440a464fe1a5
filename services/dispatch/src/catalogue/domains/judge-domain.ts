import type { DomainRecordStatus, DomainStatus } from '@notify/contracts'
import type { Finding } from '@notify/email-authentication'
import type { RecordKey, RecordState, RecordStates } from '../../db/domain-tables.ts'

export type Findings = Partial<Record<RecordKey, Finding>>

/** The state of a domain as determined by its records. */
export interface Judged {
  status: DomainStatus
  states: RecordStates
}

/** The MAIL FROM records are optional: without them the carrier uses its own domain. */
const required = ['dkim', 'spf'] as const

/**
 * The state after a check. A verified domain degrades when a required record is missing or wrong; DNS failures change
 * nothing, and results of earlier checks verify nothing.
 */
export function judgeDomain(before: Judged, findings: Findings): Judged {
  const wasVerified = before.status === 'verified' || before.status === 'degraded'
  const states: RecordStates = {}
  for (const [key, finding] of Object.entries(findings) as [RecordKey, Finding][]) {
    states[key] = stateOf(finding, before.states[key], wasVerified)
  }
  const verdicts = required.map((key) => findings[key]?.verdict)
  if (verdicts.every((verdict) => verdict === 'right')) return { status: 'verified', states }
  const someFail = required.some((key) => states[key]?.status === 'failed')
  if (wasVerified) return { status: someFail ? 'degraded' : before.status, states }
  if (someFail) return { status: 'failed', states }
  return { status: verdicts.includes('unknown') ? before.status : 'pending', states }
}

function stateOf(
  { verdict, found, error }: Finding,
  before: RecordState | undefined,
  wasVerified: boolean,
): RecordState {
  const known = verdict === 'unknown' ? (found ?? before?.found) : found
  return {
    status: statusOf(verdict, before, wasVerified),
    ...(known ? { found: known } : {}),
    ...(error ? { error } : {}),
  }
}

function statusOf(
  verdict: Finding['verdict'],
  before: RecordState | undefined,
  wasVerified: boolean,
): DomainRecordStatus {
  switch (verdict) {
    case 'right':
      return 'verified'
    case 'wrong':
      return 'failed'
    case 'absent':
      return wasVerified ? 'failed' : 'pending'
    case 'unknown':
      return before?.status ?? 'pending'
  }
}

interface Waits {
  /** Milliseconds. */
  first: number
  longest: number
}

const jitter = 0.1
const troubleFactor = 15

/**
 * The delay until the next check, in milliseconds: a quarter of the time since the status last changed, because owners
 * work on new and broken domains.
 */
export function nextCheckMs(
  { status, sinceMs, unanswered }: { status: DomainStatus; sinceMs: number; unanswered: boolean },
  { first, longest }: Waits,
  random: () => number = Math.random,
): number {
  const wanted = status === 'verified' ? (unanswered ? first * troubleFactor : longest) : sinceMs / 4
  return Math.min(Math.max(wanted, first), longest) * (1 - jitter + 2 * jitter * random())
}
