import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { channels } from '../src/channels/registry.ts'
import type { Claim } from '../src/deliver/claim/claim-store.ts'
import { putBackClaims } from '../src/deliver/claim/put-back-store.ts'
import { nextAttemptInMs } from '../src/deliver/schedule/due-store.ts'
import { sumUpTallies } from '../src/deliver/schedule/fold-tallies.ts'
import { takeDueNotifications } from '../src/deliver/schedule/take-due.ts'
import type { NextStep } from '../src/deliver/settle/decide-next.ts'
import { settleAttempts } from '../src/deliver/settle/settle-store.ts'
import { makeSlots } from '../src/deliver/throttle/make-slots.ts'
import { type Reach, reserveSlots } from '../src/deliver/throttle/slot-store.ts'
import { holdBalanceLease, readOldestQueued, readTally } from '../src/upkeep/balance-store.ts'
import { checkBalance } from '../src/upkeep/check-balance.ts'
import { exportBalance } from '../src/upkeep/export-balance.ts'
import { addProviders, createOwnNotifications } from './own-notifications.ts'
import { db } from './own-schema.ts'

const endedAs = ({ id, attempt_id, attempt_count }: Claim, next: NextStep) => ({
  notificationId: id,
  attemptNumber: attempt_count,
  attemptId: attempt_id,
  leaseExpired: false,
  providerId: null,
  outcome: 'rejected_retryable' as const,
  code: '20500',
  message: null,
  providerMessageId: null,
  next,
})

test('one worker counts for all, and another when it is gone', async () => {
  expect(await holdBalanceLease(db, 'a', 60)).toBe(true)
  expect(await holdBalanceLease(db, 'b', 60)).toBe(false)
  expect(await holdBalanceLease(db, 'a', -1)).toBe(true)
  expect(await holdBalanceLease(db, 'b', 60)).toBe(true)
  expect(await holdBalanceLease(db, 'a', 60)).toBe(false)
})

test('the counters of the statements and the scan agree', async () => {
  const own = createOwnNotifications(db, newId('ten'))
  const [, settled] = (await own.queued(3)) as [string, string]
  await db.run(`update notifications set status = 'failed' where id = $1`, [settled])
  expect(await readTally(db)).toEqual({ accepted: 3, settled: 1, queued: 2, waiting: 0 })
  expect(await checkBalance(db)).toMatchObject({ accepted: 3, settled: 1, in_flight: 2, queued: 2, corrected: 0 })
})

test('the scan finds items whose digest is gone', async () => {
  const [id = ''] = await createOwnNotifications(db, newId('ten')).queued(1)
  await db.run(`update notifications set status = 'scheduled', digest_id = 'dig_1' where id = $1`, [id])
  expect((await checkBalance(db)).unmatched_items).toBe(1)
  await db.run(
    `insert into digests (id, tenant_id, application_id, mode, channel, lane, event_key, key, opened_at, latest_at, show, joined,
       closes_at, due_at)
     values ('dig_1', 'ten_1', 'app_1', 'live', 'sms', 'bulk', 'news', 'k', now(), now(), 10, 1, now(), now())`,
  )
  expect((await checkBalance(db)).unmatched_items).toBe(0)
  await db.run('delete from digests')
})

test("the queue's count follows each change of state, and ignores rolled-back ones", async () => {
  const own = createOwnNotifications(db, newId('ten'))
  const { queued: before } = await readTally(db)
  const ids = await own.queued(5)
  const become = (status: string, changed: readonly string[]) =>
    db.run('update notifications set status = $1 where id = any($2)', [status, changed])
  const queued = async () => (await readTally(db)).queued - before
  expect(await queued()).toBe(5)
  await become('sent', ids.slice(0, 3))
  await become('delivered', ids.slice(0, 1))
  await become('queued', ids.slice(2, 3))
  expect(await queued()).toBe(3)
  const failing = db.transaction(async (run) => {
    await run(`update notifications set status = 'failed' where id = any($1)`, [ids])
    throw new Error('on purpose')
  })
  await expect(failing).rejects.toThrow('on purpose')
  await sumUpTallies(db)
  expect(await queued()).toBe(3)
  expect(await checkBalance(db)).toMatchObject({ corrected: 0 })
})

test('messages waiting for a retry are counted apart from due ones, and their age begins when they are queued for it', async () => {
  const own = createOwnNotifications(db, newId('ten'))
  const { waiting: before } = await readTally(db)
  const ids = await own.queued(3, 'otp')
  await db.run(`update notifications set enqueued_at = now() - interval '1 hour' where id = any($1)`, [ids])
  const oldest = async () => (await readOldestQueued(db, [{ lane: 'otp', channel: 'sms' }]))[0]!.seconds
  const waiting = async () => (await readTally(db)).waiting - before
  expect(await oldest()).toBeGreaterThanOrEqual(3600)
  const [refused, unanswered, paced] = (await own.claim(ids)) as [Claim, Claim, Claim]
  const again = { status: 'queued', afterMs: 600_000, whenDue: 'send', reason: null, failsOver: false } as const
  await settleAttempts(db, [endedAs(refused, again), endedAs(unanswered, { ...again, whenDue: 'give_up' })])
  await putBackClaims(db, [{ claim: paced, afterMs: 600_000 }])
  expect([await waiting(), await oldest()]).toEqual([3, 0])
  expect(await checkBalance(db)).toMatchObject({ corrected: 0 })
  await db.run(
    `update notifications set next_attempt_at = now() - interval '5 minutes', enqueued_at = now() - interval '5 minutes'
    where id = $1`,
    [refused.id],
  )
  expect(await oldest()).toBe(0)
  expect(await nextAttemptInMs(db)).toBeLessThanOrEqual(-300_000)
  await takeDueNotifications(db, channels)
  expect(await waiting()).toBe(2)
  expect(await oldest()).toBeLessThan(300)
  await sumUpTallies(db)
  expect(await waiting()).toBe(2)
})

test('counters that differ from what is in flight are corrected by the next scan', async () => {
  const own = createOwnNotifications(db, newId('ten'))
  await own.queued(4)
  const { queued, waiting } = await readTally(db)
  await db.run('update tallies set queued = 0, waiting = 0')
  expect(await checkBalance(db)).toMatchObject({ queued, waiting, corrected: queued + waiting })
  expect(await readTally(db)).toMatchObject({ queued, waiting })
  expect(await checkBalance(db)).toMatchObject({ corrected: 0 })
})

test('the oldest of each lane is found by one step into the index for each queue, and an empty lane is 0', async () => {
  const own = createOwnNotifications(db, newId('ten'))
  const [id] = (await own.queued(1, 'bulk')) as [string]
  await db.run(`update notifications set enqueued_at = now() - interval '1 hour' where id = $1`, [id])
  const secondsOf = async (channel: 'sms' | 'email') =>
    (await readOldestQueued(db, [{ lane: 'bulk', channel }]))[0]!.seconds
  expect(await secondsOf('sms')).toBeGreaterThanOrEqual(3600)
  expect(await secondsOf('email')).toBe(0)
  // A queue that waits for its own account is no delay of the lane.
  await db.run(
    'insert into held_queues (application_id, channel, mode) select application_id, channel, mode from notifications where id = $1',
    [id],
  )
  expect(await secondsOf('sms')).toBe(0)
})

describe('a queue whose account has a rate limit', () => {
  const urgent = { nearMs: 100, keptMs: 1000 }
  const bulk = { nearMs: 400 }

  /** A message of each lane that has been due for ten minutes, of a tenant whose account has the limit. */
  async function lateQueues(perSecond: number, mode = 'live') {
    const [tenantId, providerId] = [newId('ten'), newId('prov')]
    const own = createOwnNotifications(db, tenantId)
    await addProviders(db, tenantId, providerId)
    await db.run('update providers set rate_limit_per_second = $2 where id = $1', [providerId, perSecond])
    await makeSlots(db, [providerId])
    const ids = [...(await own.queued(1, 'otp')), ...(await own.queued(1, 'bulk'))]
    await db.run(
      `update notifications set mode = $2, enqueued_at = now() - interval '10 minutes' where id = any ($1)`,
      [ids, mode],
    )
    await db.run('update in_flight set mode = $2 where id = any ($1)', [ids, mode])
    return {
      tenantId,
      reserve: (count: number, reach: Reach) =>
        reserveSlots(db, [{ provider_id: providerId, count, per_second: perSecond }], reach),
      /** Moves the clocks of the account into the past. */
      pass: (ms: number) =>
        db.run(
          `update send_slots set shared_ms = shared_ms - $2, kept_ms = kept_ms - $2, urgent_until_ms = urgent_until_ms - $2,
             bulk_until_ms = bulk_until_ms - $2 where provider_id = $1`,
          [providerId, ms],
        ),
    }
  }
  const oldest = () =>
    readOldestQueued(db, [
      { lane: 'bulk', channel: 'sms' },
      { lane: 'otp', channel: 'sms' },
    ])
  /** The lanes of SMS that are late. */
  const late = async () =>
    (await oldest())
      .filter(({ seconds }) => seconds >= 600)
      .map(({ lane }) => lane)
      .sort()
  /** Those that are late for their account's limit alone. */
  const limited = async () =>
    (await oldest())
      .filter(({ limited_seconds }) => limited_seconds >= 600)
      .map(({ lane }) => lane)
      .sort()
  beforeEach(() => db.run(`update notifications set status = 'failed' where status = 'queued'`))

  test('is late like any other while the limit delays nothing', async () => {
    const { reserve } = await lateQueues(1000)
    expect(await late()).toEqual(['bulk', 'otp'])
    await reserve(1, urgent)
    expect(await late()).toEqual(['bulk', 'otp'])
    expect(await limited()).toEqual([])
  })

  test('is counted apart while it is sent at the limit, and is late when nothing of it is sent any more', async () => {
    const { reserve, pass } = await lateQueues(1)
    await reserve(10, urgent)
    await reserve(10, bulk)
    expect(await late()).toEqual([])
    expect(await limited()).toEqual(['bulk', 'otp'])
    // Until each was to ask again, and for a minute more.
    await pass(50_000)
    expect(await late()).toEqual([])
    await pass(120_000)
    expect(await late()).toEqual(['bulk', 'otp'])
    expect(await limited()).toEqual([])
  })

  test('is late like any other while a provider of the same priority has no limit', async () => {
    const { tenantId, reserve } = await lateQueues(1)
    await reserve(10, urgent)
    expect(await late()).toEqual(['bulk'])
    await addProviders(db, tenantId, newId('prov'))
    expect(await late()).toEqual(['bulk', 'otp'])
  })

  test('is not late while the messages that workers hold wait for their turns', async () => {
    const { reserve, pass } = await lateQueues(50)
    await reserve(45, urgent)
    // However long this test stands still, the last of them wait.
    await pass(-60_000)
    expect(await late()).toEqual([])
  })

  test('is late with its codes, for which a part of the limit is kept, while a campaign uses the rest', async () => {
    const { reserve } = await lateQueues(20)
    await reserve(100, bulk)
    expect(await late()).toEqual(['otp'])
  })

  test('is late with test messages, which do not use the limit', async () => {
    const { reserve } = await lateQueues(1, 'test')
    await reserve(10, urgent)
    expect(await late()).toEqual(['bulk', 'otp'])
  })
})

test('a scan that ends at its time limit stops neither the counters nor the other gauges, and is not repeated at once', async () => {
  const own = createOwnNotifications(db, newId('ten'))
  await own.queued(2)
  await db.run('delete from balance_lease')
  const kit = createTestKit('dispatch')
  let scans = 0
  const runLong = async () => {
    scans++
    await delay(100)
    throw new Error('canceling statement due to statement timeout')
  }
  exportBalance(kit, { db: { ...db, runLong } }, [])
  try {
    await eventually(() => expect(kit.lines.filter(({ msg }) => /the scan .* failed/.test(msg))).toHaveLength(1))
    const { queued, waiting } = await readTally(db)
    expect(kit.gauged('notify_queued')).toBe(queued - waiting)
    expect(kit.gauges.get('notify_unaccounted')!()).toEqual([])
    await own.queued(1)
    await eventually(() => expect(kit.gauged('notify_queued')).toBe(queued - waiting + 1))
    expect(scans).toBe(1)
  } finally {
    await kit.stop()
  }
})

test('a measurement that keeps failing is exported for a minute, and not for as long as its worker has the lease', async () => {
  await db.run('delete from balance_lease')
  const kit = createTestKit('dispatch')
  let isFailing = false
  const run: typeof db.run = (...query: Parameters<typeof db.run>) => {
    if (isFailing && JSON.stringify(query).includes('oldest-queued')) throw new Error('canceling statement')
    return db.run(...query)
  }
  const nowMs = jest.spyOn(performance, 'now')
  exportBalance(kit, { db: { ...db, run } }, [])
  try {
    await eventually(() => expect(kit.gauges.get('notify_queued')!()).toEqual(expect.any(Number)))
    isFailing = true
    await eventually(() => expect(kit.lines).toContainEqual(expect.objectContaining({ task: 'balance', failures: 1 })))
    const exported = () => ['notify_queued', 'notify_queued_oldest_seconds'].map((name) => kit.gauges.get(name)!())
    expect(exported()).toEqual([expect.any(Number), []])
    const laterMs = performance.now() + 61_000
    nowMs.mockReturnValue(laterMs)
    expect(kit.gauges.get('notify_queued')!()).toEqual([])
  } finally {
    nowMs.mockRestore()
    await kit.stop()
  }
})

test('a message that is due and was not queued is seen by how long it has been due', async () => {
  const own = createOwnNotifications(db, newId('ten'))
  const [id] = (await own.queued(1)) as [string]
  await db.run('delete from balance_lease')
  await db.run(`update notifications set next_attempt_at = now() - interval '10 minutes' where id = $1`, [id])
  const kit = createTestKit('dispatch')
  exportBalance(kit, { db }, [])
  try {
    await eventually(() => expect(kit.gauged('notify_attempts_overdue_seconds')).toBeGreaterThanOrEqual(600))
  } finally {
    await kit.stop()
  }
  await takeDueNotifications(db, channels)
})
