import { expect, test } from '@jest/globals'
import type { Lane } from '@notify/contracts'
import type { CarrierAnswer } from '../carriers/carrier.ts'
import { decideNext, type RetryPolicy, unknownReason } from './decide-next.ts'

const policy: RetryPolicy = { retryDelaysMs: [5000, 30_000], unknownGraceMs: 60_000, random: () => 0.5 }
const answer = (outcome: CarrierAnswer['outcome'], rest: Partial<CarrierAnswer> = {}): CarrierAnswer => ({
  outcome,
  code: null,
  message: null,
  providerMessageId: null,
  retryAfterMs: null,
  ...rest,
})
const lanes: Lane[] = ['otp', 'transactional', 'bulk']

test.each(lanes)('what the carrier took is sent: %s', (lane) => {
  expect(decideNext(answer('accepted'), lane, 1, policy)).toEqual({ status: 'sent' })
})

test.each(lanes)('what the carrier refuses for good fails at once, and no operator may retry it: %s', (lane) => {
  const refused = answer('rejected_permanent', { code: '21211', message: "21211 Invalid 'To' phone number" })
  expect(decideNext(refused, lane, 1, policy)).toEqual({
    status: 'failed',
    reason: "21211 Invalid 'To' phone number",
    retryable: false,
  })
})

test('what the carrier refuses for now waits longer each time, up to the whole delay', () => {
  const waits = [1, 2].map((attempts) => decideNext(answer('rejected_retryable'), 'bulk', attempts, policy))
  expect(waits).toEqual([
    { status: 'queued', afterMs: 2500, whenDue: 'send', reason: null },
    { status: 'queued', afterMs: 15_000, whenDue: 'send', reason: null },
  ])
})

test('waits are drawn anew over the whole delay, so that a thousand retries do not meet', () => {
  const at = (random: number) =>
    decideNext(answer('rejected_retryable'), 'bulk', 1, { ...policy, random: () => random })
  expect([at(0), at(1)]).toMatchObject([{ afterMs: 0 }, { afterMs: 5000 }])
})

test('a wait that the carrier asked for is kept in full, with a little spread on top', () => {
  const busy = answer('rejected_retryable', { retryAfterMs: 8000 })
  const at = (random: number) => decideNext(busy, 'transactional', 1, { ...policy, random: () => random })
  expect([at(0), at(0.5)]).toMatchObject([{ afterMs: 8000 }, { afterMs: 8400 }])
})

test('after the last delay it fails, and an operator may retry it', () => {
  const refused = answer('rejected_retryable', { code: '20429', message: '20429 Too many requests' })
  expect(decideNext(refused, 'transactional', 3, policy)).toEqual({
    status: 'failed',
    reason: '20429 Too many requests',
    retryable: true,
  })
})

test('without any delay there is one attempt', () => {
  const once = { ...policy, retryDelaysMs: [] }
  expect(decideNext(answer('rejected_retryable'), 'transactional', 1, once)).toMatchObject({ status: 'failed' })
})

test.each(['otp', 'transactional'] as const)('an unknown outcome is tried again after the grace: %s', (lane) => {
  expect(decideNext(answer('unknown'), lane, 1, policy)).toEqual({
    status: 'queued',
    afterMs: 60_000,
    whenDue: 'send',
    reason: null,
  })
})

test('an unknown outcome of a campaign is never sent twice: it is given up after the grace', () => {
  expect(decideNext(answer('unknown'), 'bulk', 1, policy)).toEqual({
    status: 'queued',
    afterMs: 60_000,
    whenDue: 'give_up',
    reason: unknownReason,
  })
})

test('an unknown outcome of the last attempt is given up after the grace', () => {
  expect(decideNext(answer('unknown'), 'otp', 3, policy)).toMatchObject({ whenDue: 'give_up', reason: unknownReason })
})

test('the reason is the message, else the code, else that there was none', () => {
  const reasonOf = (rest: Partial<CarrierAnswer>) =>
    (decideNext(answer('rejected_permanent', rest), 'otp', 1, policy) as { reason: string }).reason
  expect(reasonOf({ code: 'c', message: 'm' })).toBe('m')
  expect(reasonOf({ code: 'c' })).toBe('c')
  expect(reasonOf({})).toBe('The carrier gave no reason')
})
