import { describe, expect, test } from '@jest/globals'
import type { CarrierAnswer } from '@notify/carriers/sending'
import { AttemptOutcome, type Lane } from '@notify/contracts'
import fc from 'fast-check'
import { decideNext, type NextStep, type RetryPolicy, type Situation, unknownReason } from './decide-next.ts'

const policy: RetryPolicy = {
  retryDelaysMs: [5000, 30_000],
  unknownGraceMs: 60_000,
  otpGraceMs: 10_000,
  random: () => 0.5,
}
const answer = (outcome: CarrierAnswer['outcome'], rest: Partial<CarrierAnswer> = {}): CarrierAnswer => ({
  outcome,
  code: null,
  message: null,
  providerMessageId: null,
  retryAfterMs: null,
  ...rest,
})
const lanes: Lane[] = ['otp', 'transactional', 'bulk']
/** Without another provider, by default. */
const at = (lane: Lane, step: number, otherProvider = false): Situation => ({ lane, step, otherProvider })

test.each(lanes)('a message that the carrier accepted is sent: %s', (lane) => {
  expect(decideNext(answer('accepted'), at(lane, 1), policy)).toEqual({ status: 'sent' })
})

test.each(lanes)('a permanent refusal fails at once, and no operator may retry it: %s', (lane) => {
  const refused = answer('rejected_permanent', { code: '21211', message: "21211 Invalid 'To' phone number" })
  expect(decideNext(refused, at(lane, 1), policy)).toEqual({
    status: 'failed',
    reason: "21211 Invalid 'To' phone number",
    retryable: false,
  })
})

test('a temporary refusal waits longer each time, up to the whole delay', () => {
  const waits = [1, 2].map((attempts) => decideNext(answer('rejected_retryable'), at('bulk', attempts), policy))
  expect(waits).toEqual([
    { status: 'queued', afterMs: 2500, whenDue: 'send', reason: null, failsOver: false },
    { status: 'queued', afterMs: 15_000, whenDue: 'send', reason: null, failsOver: false },
  ])
})

test('each wait is a new random part of the whole delay, so that a thousand retries do not coincide', () => {
  const drawn = (random: number) =>
    decideNext(answer('rejected_retryable'), at('bulk', 1), { ...policy, random: () => random })
  expect([drawn(0), drawn(1)]).toMatchObject([{ afterMs: 0 }, { afterMs: 5000 }])
})

test('a wait that the carrier asked for is kept in full, with a little spread on top', () => {
  const busy = answer('rejected_retryable', { retryAfterMs: 8000 })
  const drawn = (random: number) => decideNext(busy, at('transactional', 1), { ...policy, random: () => random })
  expect([drawn(0), drawn(0.5)]).toMatchObject([{ afterMs: 8000 }, { afterMs: 8400 }])
})

test('a short wait that the carrier asks for every time does not use up the schedule', () => {
  const delays = { ...policy, retryDelaysMs: [5000, 30_000, 120_000] }
  const waits = (retryAfterMs: number) =>
    [1, 2, 3].map((step) => decideNext(answer('rejected_retryable', { retryAfterMs }), at('bulk', step), delays))
  expect(waits(1000)).toMatchObject([{ afterMs: 1050 }, { afterMs: 1050 }, { afterMs: 60_000 }])
  expect(waits(100_000)).toMatchObject([{ afterMs: 105_000 }, { afterMs: 105_000 }, { afterMs: 105_000 }])
  // "Now" is no wait at all.
  expect(waits(0)).toMatchObject([{ afterMs: 2500 }, { afterMs: 15_000 }, { afterMs: 60_000 }])
})

test('after the last delay it fails, and an operator may retry it', () => {
  const refused = answer('rejected_retryable', { code: '20429', message: '20429 Too many requests' })
  expect(decideNext(refused, at('transactional', 3), policy)).toEqual({
    status: 'failed',
    reason: '20429 Too many requests',
    retryable: true,
  })
})

test('without any delay there is one attempt', () => {
  const once = { ...policy, retryDelaysMs: [] }
  expect(decideNext(answer('rejected_retryable'), at('transactional', 1), once)).toMatchObject({ status: 'failed' })
})

const graces = [
  ['otp', 10_000],
  ['transactional', 60_000],
] as const

test.each(graces)('an unknown outcome is tried again after the grace, a code sooner: %s', (lane, afterMs) => {
  expect(decideNext(answer('unknown'), at(lane, 1), policy)).toEqual({
    status: 'queued',
    afterMs,
    whenDue: 'send',
    reason: null,
    failsOver: false,
  })
})

test('an unknown outcome of a campaign is never sent twice: it fails after the grace', () => {
  expect(decideNext(answer('unknown'), at('bulk', 1), policy)).toEqual({
    status: 'queued',
    afterMs: 60_000,
    whenDue: 'give_up',
    reason: unknownReason,
    failsOver: false,
  })
})

test('an unknown outcome of the last attempt fails after the grace', () => {
  expect(decideNext(answer('unknown'), at('otp', 3), policy)).toMatchObject({
    afterMs: 60_000,
    whenDue: 'give_up',
    reason: unknownReason,
  })
})

describe('with another provider that was not tried', () => {
  const refusals: [string, Partial<CarrierAnswer>][] = [
    ['an account that is down', { providerDown: true }],
    ['a carrier that fails', { carrierFault: true }],
    ['a carrier that asks for a pause', { retryAfterMs: 60_000 }],
  ]
  test.each(refusals)('%s hands over at once, also at the last step of the schedule', (_what, rest) => {
    for (const lane of lanes) {
      for (const step of [1, 3]) {
        expect(decideNext(answer('rejected_retryable', rest), at(lane, step, true), policy)).toEqual({
          status: 'queued',
          afterMs: 0,
          whenDue: 'send',
          reason: null,
          failsOver: true,
        })
      }
    }
  })

  test.each(lanes)('after a permanent refusal no other provider is tried: %s', (lane) => {
    expect(decideNext(answer('rejected_permanent'), at(lane, 1, true), policy)).toMatchObject({ status: 'failed' })
  })

  test.each(graces)(
    'an unknown outcome still waits its whole grace, and then goes to the other provider: %s',
    (lane, afterMs) => {
      expect(decideNext(answer('unknown'), at(lane, 1, true), policy)).toEqual({
        status: 'queued',
        afterMs,
        whenDue: 'send',
        reason: null,
        failsOver: true,
      })
    },
  )

  test('after an unknown outcome of a campaign, or of the last step, no other provider is tried', () => {
    for (const situation of [at('bulk', 1, true), at('otp', 3, true)]) {
      expect(decideNext(answer('unknown'), situation, policy)).toMatchObject({ whenDue: 'give_up', failsOver: false })
    }
  })

  test('an accepted message is sent', () => {
    expect(decideNext(answer('accepted'), at('otp', 1, true), policy)).toEqual({ status: 'sent' })
  })
})

test('the reason is the message, else the code, else that there was none', () => {
  const reasonOf = (rest: Partial<CarrierAnswer>) =>
    (decideNext(answer('rejected_permanent', rest), at('otp', 1), policy) as { reason: string }).reason
  expect(reasonOf({ code: 'c', message: 'm' })).toBe('m')
  expect(reasonOf({ code: 'c' })).toBe('c')
  expect(reasonOf({})).toBe('The carrier gave no reason')
})

describe('whatever the answer and the situation', () => {
  const anyDecision = fc.record({
    outcome: fc.constantFrom(...AttemptOutcome.options),
    retryAfterMs: fc.option(fc.nat(600_000)),
    lane: fc.constantFrom(...lanes),
    step: fc.integer({ min: 1, max: 9 }),
    otherProvider: fc.boolean(),
    retryDelaysMs: fc.array(fc.nat(600_000), { maxLength: 6 }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  const decisionsAre = (expected: (next: NextStep, given: Given) => boolean) =>
    fc.assert(
      fc.property(anyDecision, (given) => {
        const { outcome, retryAfterMs, lane, step, otherProvider, retryDelaysMs, random } = given
        const delays = { ...policy, retryDelaysMs, random: () => random }
        return expected(decideNext(answer(outcome, { retryAfterMs }), { lane, step, otherProvider }, delays), given)
      }),
    )
  type Given = typeof anyDecision extends fc.Arbitrary<infer Value> ? Value : never

  test('after the last step of the schedule only a provider that was not tried gets the message', () => {
    decisionsAre(
      (next, { step, retryDelaysMs, otherProvider, outcome }) =>
        step <= retryDelaysMs.length ||
        !(next.status === 'queued' && next.whenDue === 'send') ||
        (next.failsOver && otherProvider && outcome === 'rejected_retryable'),
    )
  })

  test('a campaign’s message with an unknown outcome is never sent again', () => {
    decisionsAre(
      (next, { lane, outcome }) =>
        !(lane === 'bulk' && outcome === 'unknown') || (next.status === 'queued' && next.whenDue === 'give_up'),
    )
  })

  test('an unknown outcome always waits its grace for a receipt', () => {
    decisionsAre(
      (next, { lane, outcome }) =>
        outcome !== 'unknown' ||
        (next.status === 'queued' &&
          next.afterMs === (lane === 'otp' && next.whenDue === 'send' ? policy.otpGraceMs : policy.unknownGraceMs)),
    )
  })

  test('it fails over only to an existing provider, and gives a reason for each failure', () => {
    decisionsAre((next, { otherProvider }) => {
      if (next.status === 'queued' && next.failsOver && !otherProvider) return false
      return next.status === 'sent' || (next.status === 'queued' && next.whenDue === 'send') || Boolean(next.reason)
    })
  })

  test('a wait that the carrier asked for is never cut short', () => {
    decisionsAre(
      (next, { outcome, otherProvider, retryAfterMs }) =>
        outcome !== 'rejected_retryable' ||
        otherProvider ||
        next.status !== 'queued' ||
        next.afterMs >= (retryAfterMs ?? 0),
    )
  })
})
