import { expect, jest, test } from '@jest/globals'
import type { ActivityStatus } from '@notify/contracts'
import { holdNewest, type Revised } from './hold-newest.ts'

const factOf = (notification_id: string, revision: number, status: ActivityStatus): Revised => ({
  notification_id,
  revision,
  status,
})

/** A hold after its first write, and a list of its later writes. */
async function recording() {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })
  const written: Revised[] = []
  const hold = holdNewest<Revised>(async (fact) => void written.push(fact))
  const first = factOf('first', 1, 'queued')
  await hold(first)
  expect(written.splice(0)).toEqual([first])
  return { written, hold }
}

test('the first fact after a quiet second is written at once', async () => {
  const { written, hold } = await recording()
  jest.advanceTimersByTime(1100)
  await hold(factOf('a', 1, 'queued'))
  expect(written).toHaveLength(1)
})

test('a message that ends within a second is written once, in its last state, in whatever order its facts come', async () => {
  const { written, hold } = await recording()
  const facts = [factOf('a', 1, 'queued'), factOf('a', 3, 'delivered'), factOf('a', 2, 'sent')]
  const settled = Promise.all(facts.map(hold))
  jest.advanceTimersByTime(250)
  await settled
  expect(written).toEqual([facts[1]])
})

test('a message that does not end is written after a second, and what follows it is written, too', async () => {
  const { written, hold } = await recording()
  const first = hold(factOf('a', 1, 'queued'))
  jest.advanceTimersByTime(750)
  expect(written).toEqual([])
  jest.advanceTimersByTime(250)
  await first
  const second = hold(factOf('a', 2, 'failed'))
  jest.advanceTimersByTime(250)
  await second
  expect(written.map(({ revision }) => revision)).toEqual([1, 2])
})

test('a fact is not settled before its write, and fails with it', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })
  const hold = holdNewest<Revised>(() => Promise.reject(new Error('the database is gone')))
  await expect(hold(factOf('first', 1, 'queued'))).rejects.toThrow()
  const facts = [hold(factOf('a', 1, 'sent')), hold(factOf('a', 2, 'delivered'))]
  const outcomes = Promise.allSettled(facts)
  jest.advanceTimersByTime(250)
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('thousands of messages that do not end are written without a delay', async () => {
  const { written, hold } = await recording()
  const settled = Array.from({ length: 1001 }, (_, n) => hold(factOf(`a${n}`, 1, 'queued')))
  await Promise.all(settled)
  expect(written).toHaveLength(1001)
})
