import { expect, test } from '@jest/globals'
import type { EgressOutcome } from '@notify/egress-guard'
import { judgeOutcome, type Schedule } from './judge-outcome.ts'

const schedule: Schedule = { delaysMs: [5000, 300_000], ownFaultDelayMs: 30_000, charged: 0, held: 0, random: 0.5 }
const answer = (status: number, headers = {}): EgressOutcome => ({
  kind: 'answered',
  status,
  headers,
  body: Buffer.alloc(0),
  durationMs: 1,
})
const failure = (own: boolean): EgressOutcome => ({
  kind: 'failed',
  reason: 'dns',
  message: 'DNS did not answer',
  own,
  durationMs: 1,
})

test.each([200, 201, 204, 299])('%i is a success', (status) => {
  expect(judgeOutcome(answer(status), schedule)).toMatchObject({ outcome: 'succeeded', status, nextInMs: null })
})

test.each([100, 301, 302, 307, 400, 401, 404, 429, 500, 503, 599])('%i is tried again by the schedule', (status) => {
  expect(judgeOutcome(answer(status), schedule)).toMatchObject({ outcome: 'failed', status, nextInMs: 5000 })
  expect(judgeOutcome(answer(status), { ...schedule, charged: 1 })).toMatchObject({ nextInMs: 300_000 })
  expect(judgeOutcome(answer(status), { ...schedule, charged: 2 })).toMatchObject({
    outcome: 'exhausted',
    nextInMs: null,
    retryable: true,
  })
})

test('waits are spread by a fifth to either side', () => {
  const waitOf = (random: number) => judgeOutcome(answer(500), { ...schedule, random }).nextInMs
  expect([waitOf(0), waitOf(0.5), waitOf(1)]).toEqual([4000, 5000, 6000])
})

test('410 ends the delivery and the subscription; a refused destination ends the delivery', () => {
  expect(judgeOutcome(answer(410), schedule)).toMatchObject({ outcome: 'exhausted', gone: true, retryable: false })
  const refused: EgressOutcome = { kind: 'refused', message: 'destination not allowed', durationMs: 1 }
  expect(judgeOutcome(refused, schedule)).toMatchObject({ outcome: 'exhausted', gone: false, retryable: false })
})

test('an internal fault counts neither against the schedule nor against the receiver', () => {
  const last = { ...schedule, charged: 2 }
  expect(judgeOutcome(failure(true), last)).toMatchObject({ outcome: 'failed', charged: false, nextInMs: 30_000 })
  expect(judgeOutcome(failure(true), { ...last, held: 3000 })).toMatchObject({ outcome: 'exhausted', charged: true })
  expect(judgeOutcome(failure(false), last)).toMatchObject({ outcome: 'exhausted', charged: true })
})

test.each<[number, string, number]>([
  [429, '60', 60_000],
  [503, '60', 60_000],
  [429, '60, 120', 60_000],
  [503, 'Sat, 21 Nov 2026 09:31:00 GMT, 60', 60_000],
  [429, '1', 5000],
  [503, 'Sat, 21 Nov 2026 09:31:00 GMT', 60_000],
  [503, 'Sat, 21 Nov 2026 09:29:00 GMT', 5000],
  [429, '99999999', 86_400_000],
  [429, 'soon', 5000],
  [429, '-5', 5000],
  [500, '60', 5000],
])('%i with Retry-After %s waits %i ms', (status, after, waitMs) => {
  const nowMs = Date.parse('2026-11-21T09:30:00Z')
  expect(judgeOutcome(answer(status, { 'retry-after': after }), schedule, nowMs).nextInMs).toBe(waitMs)
})
