import type { DomainRecordStatus, DomainStatus } from '@notify/contracts'
import type { Finding } from '../dns/finding.ts'

/** The records of a domain; one each. */
export type RecordKey = 'dkim' | 'spf' | 'mail_from_mx' | 'mail_from_spf'

export interface RecordState {
  status: DomainRecordStatus
  found?: string
  error?: string
}

export type RecordStates = Partial<Record<RecordKey, RecordState>>
export type Findings = Partial<Record<RecordKey, Finding>>

/** What a domain is, as far as its records decide it. */
export interface Judged {
  status: DomainStatus
  states: RecordStates
}

/** Without the MAIL FROM records the carrier uses a name of its own, and messages pass all the same. */
const required = ['dkim', 'spf'] as const

/**
 * What follows from a check. A domain that was verified degrades when a required record is gone or wrong; trouble with DNS
 * changes nothing, and nothing is verified on what an earlier check saw.
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
 * How long to wait for the next check, in milliseconds. Who has just added a domain, or just broken it, is at work on it:
 * the wait is a quarter of the time for which the status has been what it is.
 */
export function nextCheckMs(
  { status, sinceMs, unanswered }: { status: DomainStatus; sinceMs: number; unanswered: boolean },
  { first, longest }: Waits,
  random: () => number = Math.random,
): number {
  const wanted = status === 'verified' ? (unanswered ? first * troubleFactor : longest) : sinceMs / 4
  return Math.min(Math.max(wanted, first), longest) * (1 - jitter + 2 * jitter * random())
}
