import { describe, expect, test } from '@jest/globals'
import type { DomainStatus } from '@notify/contracts'
import type { Finding } from '@notify/email-authentication'
import type { RecordState } from '../../db/domain-tables.ts'
import { judgeDomain, nextCheckMs } from './judge-domain.ts'

const statuses: DomainStatus[] = ['pending', 'verified', 'failed', 'degraded']
const verdicts: Finding['verdict'][] = ['right', 'absent', 'wrong', 'unknown']
const recordStatuses: RecordState['status'][] = ['pending', 'verified', 'failed']

/** Every status with every pair of findings. */
const cases = statuses.flatMap((status) =>
  recordStatuses.flatMap((dkimBefore) =>
    recordStatuses.flatMap((spfBefore) =>
      verdicts.flatMap((dkim) =>
        verdicts.map((spf) => {
          const before = { status, states: { dkim: { status: dkimBefore }, spf: { status: spfBefore } } }
          const findings = { dkim: { verdict: dkim }, spf: { verdict: spf } }
          return { before, findings, seen: [dkim, spf], after: judgeDomain(before, findings) }
        }),
      ),
    ),
  ),
)
const was = (status: DomainStatus) => status === 'verified' || status === 'degraded'

describe('for every state and all findings', () => {
  test('two correct records verify a domain, and it stays verified until a record is wrong or missing', () => {
    for (const { before, seen, after } of cases) {
      const allRight = seen.every((verdict) => verdict === 'right')
      if (allRight) expect(after.status).toBe('verified')
      if (after.status === 'verified' && !allRight) {
        expect(before.status).toBe('verified')
        expect(seen).not.toContain('absent')
        expect(seen).not.toContain('wrong')
      }
    }
  })

  test('failing lookups alone change no status of a domain or a record', () => {
    for (const { before, seen, after } of cases) {
      if (seen.some((verdict) => verdict !== 'unknown')) continue
      expect(after.states.dkim?.status).toBe(before.states.dkim.status)
      if (before.status === 'verified' && Object.values(before.states).every(({ status }) => status === 'verified')) {
        expect(after.status).toBe('verified')
      }
    }
  })

  test('a verified domain stays verified or degrades; any other never degrades, and keeps showing a wrong record', () => {
    for (const { before, seen, after } of cases) {
      expect(was(after.status)).toBe(was(before.status) || seen.every((verdict) => verdict === 'right'))
      if (!was(before.status) && seen.includes('wrong')) expect(after.status).toBe('failed')
    }
  })

  test('a missing record has failed on a domain that was verified, and is pending on one that never was', () => {
    for (const { before, seen, after } of cases) {
      if (seen[0] !== 'absent') continue
      expect(after.states.dkim?.status).toBe(was(before.status) ? 'failed' : 'pending')
      if (was(before.status)) expect(after.status).toBe('degraded')
    }
  })
})

test('the MAIL FROM records never decide', () => {
  const findings = {
    dkim: { verdict: 'right' },
    spf: { verdict: 'right' },
    mail_from_mx: { verdict: 'wrong' },
  } as const
  const after = judgeDomain({ status: 'pending', states: {} }, findings)
  expect([after.status, after.states.mail_from_mx?.status]).toEqual(['verified', 'failed'])
})

test('the record found last stays shown while DNS lookups fail', () => {
  const states = { dkim: { status: 'verified' as const, found: 'v=DKIM1' } }
  const after = judgeDomain({ status: 'verified', states }, { dkim: { verdict: 'unknown', error: 'later' } })
  expect(after.states.dkim).toEqual({ status: 'verified', found: 'v=DKIM1', error: 'later' })
})

describe('the wait for the next check', () => {
  const waits = { first: 60_000, longest: 86_400_000 }
  const wait = (status: DomainStatus, sinceMs: number, unanswered = false, random = 0.5) =>
    Math.round(nextCheckMs({ status, sinceMs, unanswered }, waits, () => random))

  test('is a minute for a new domain, grows with its age, and is at most a day', () => {
    expect(wait('pending', 0)).toBe(60_000)
    expect(wait('failed', 3_600_000)).toBe(900_000)
    expect(wait('degraded', 864_000_000)).toBe(86_400_000)
  })

  test('is a day for a verified domain, and minutes after failed lookups', () => {
    expect(wait('verified', 0)).toBe(86_400_000)
    expect(wait('verified', 864_000_000, true)).toBe(900_000)
  })

  test('varies by a tenth in both directions', () => {
    expect(wait('verified', 0, false, 0)).toBe(86_400_000 * 0.9)
    expect(wait('verified', 0, false, 0.999999)).toBeCloseTo(86_400_000 * 1.1, -4)
  })
})
