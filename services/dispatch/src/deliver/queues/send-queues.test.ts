import { expect, test } from '@jest/globals'
import { type Pick, type QueueKey, SendQueues, type Turn } from './send-queues.ts'

const keyOf = (tenant_id: string, application_id = `app of ${tenant_id}`): QueueKey => ({
  tenant_id,
  application_id,
  mode: 'live',
})

const turn = (options: Partial<Turn> = {}): Turn => ({ nowMs: 0, tokens: 100, credit: 25, ...options })

/** How many messages of each application were picked. */
const counts = (picks: readonly Pick[]) =>
  Object.fromEntries(picks.map(({ queue, most }) => [queue.key.application_id, most]))

/** Ends picks as if each queue had so many messages. */
function claimAll(queues: SendQueues, picks: readonly Pick[], there = Number.POSITIVE_INFINITY): void {
  for (const pick of picks) queues.claimed(pick, Math.min(pick.most, there))
}

test('tenants share a turn evenly, however many queues one has', () => {
  const queues = new SendQueues(1000)
  for (let n = 0; n < 9; n++) queues.of(keyOf('large', `app ${n}`)).wake()
  queues.of(keyOf('small')).wake()
  const picks = queues.choose(turn({ tokens: 20, credit: 0 }))
  expect(picks.filter(({ queue }) => queue.key.tenant_id === 'large').reduce((sum, { most }) => sum + most, 0)).toBe(10)
  expect(counts(picks)['app of small']).toBe(10)
})

test('a queue that was served goes behind the others', () => {
  const queues = new SendQueues(1000)
  for (const name of ['a', 'b', 'c']) queues.of(keyOf(name)).wake()
  const served: string[] = []
  for (let n = 0; n < 6; n++) {
    const picks = queues.choose(turn({ tokens: 1, credit: 0 }))
    served.push(...picks.map(({ queue }) => queue.key.tenant_id))
    claimAll(queues, picks)
  }
  expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
})

test('a tenant whose messages never end leaves slots to others, and each other tenant finds one', () => {
  const queues = new SendQueues(16)
  queues.of(keyOf('hanging')).wake()
  for (let n = 0; n < 5; n++) claimAll(queues, queues.choose(turn()))
  expect(queues.of(keyOf('hanging')).inHand).toBe(11)
  for (let n = 0; n < 20; n++) {
    queues.of(keyOf(`tenant ${n}`)).wake()
    const picks = queues.choose(turn())
    expect(picks.map(({ queue }) => queue.key.tenant_id)).toContain(`tenant ${n}`)
    claimAll(queues, picks, 1)
  }
})

test('a queue without a backlog begins on credit while the rate is used up; one with a backlog waits', () => {
  const queues = new SendQueues(100)
  queues.of(keyOf('campaign')).wake()
  claimAll(queues, queues.choose(turn({ tokens: 10 })))
  queues.of(keyOf('neighbour')).wake()
  expect(counts(queues.choose(turn({ tokens: 0 })))).toEqual({ 'app of neighbour': 4 })
  queues.of(keyOf('another')).wake()
  expect(queues.choose(turn({ tokens: -25 }))).toEqual([])
})

test('a queue that sleeps is not claimed; then one message tries, and each answer lets one more follow', () => {
  const queues = new SendQueues(100)
  const queue = queues.of(keyOf('broken'))
  queue.wake()
  claimAll(queues, queues.choose(turn({ tokens: 8 })))
  queue.sleep(0, 5000, 1, new Date())
  for (let n = 0; n < 8; n++) {
    queue.widen(100)
    queues.release(queue)
  }
  expect(queues.choose(turn({ nowMs: 4999 }))).toEqual([])
  expect(queues.nextWakeMs(4999)).toBe(5000)
  for (const most of [1, 2, 4]) {
    const picks = queues.choose(turn({ nowMs: 5000 }))
    expect(picks.map((pick) => pick.most)).toEqual([most])
    claimAll(queues, picks)
    for (let n = 0; n < most; n++) {
      queue.widen(5000)
      queues.release(queue)
    }
  }
})

test('a wake during a claim that finds nothing is not lost', () => {
  const queues = new SendQueues(10)
  queues.of(keyOf('a')).wake()
  const picks = queues.choose(turn())
  queues.of(keyOf('a')).wake()
  claimAll(queues, picks, 0)
  expect(queues.choose(turn())).toHaveLength(1)
})

test('claims of a queue begin at its oldest message; when none is left, at new ones; after some were put back, at the oldest of them', () => {
  const queues = new SendQueues(10)
  const queue = queues.of(keyOf('a'))
  expect(queue.since).toBe('now')
  const oldest = new Date(0)
  queue.wake(oldest)
  claimAll(queues, queues.choose(turn({ tokens: 2, credit: 0 })))
  expect(queue.since).toBe(oldest)
  const picks = queues.choose(turn())
  claimAll(queues, picks, 1)
  expect(queue.since).toBe('now')
  const [older, newer] = [new Date(1000), new Date(2000)]
  queue.putBack(newer)
  expect(queue.since).toBe(newer)
  const late = queues.choose(turn())
  queue.putBack(older)
  claimAll(queues, late, 0)
  expect(queue.since).toBe(older)
  queue.putBack(newer)
  expect(queue.since).toBe(older)
  queue.sleep(0, 1000, 1, oldest)
  expect(queue.since).toBe(oldest)
  queue.wake('earliest')
  queue.putBack(older)
  expect(queue.since).toBe('earliest')
})

test('a queue that is empty is forgotten', () => {
  const queues = new SendQueues(10)
  const first = queues.of(keyOf('a'))
  first.wake()
  claimAll(queues, queues.choose(turn()), 0)
  expect(queues.of(keyOf('a'))).not.toBe(first)
})

test('a queue that has slept may begin as soon as it is woken, and one without a free slot waits for a release, not for the rate', () => {
  const queues = new SendQueues(3)
  const queue = queues.of(keyOf('slept'))
  queue.wake()
  claimAll(queues, queues.choose(turn({ tokens: 2 })), 1)
  queue.sleep(0, 1000, 3, new Date())
  queues.release(queue)
  expect(queues.hasNewcomer(999, new Set())).toBe(false)
  expect(queues.hasNewcomer(1000, new Set())).toBe(true)
  expect(queues.hasNewcomer(1000, new Set([queue]))).toBe(false)
  claimAll(queues, queues.choose(turn({ nowMs: 1000 })))
  expect(queue.inHand).toBe(2)
  expect(queues.waitsForTokens(1000)).toBe(false)
  queues.release(queue)
  expect(queues.waitsForTokens(1000)).toBe(true)
})
