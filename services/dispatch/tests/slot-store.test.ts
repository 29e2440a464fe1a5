import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { eventually, patienceMs } from '@notify/dev-env'
import { makeSlots } from '../src/deliver/throttle/make-slots.ts'
import { type Reach, reserveSlots } from '../src/deliver/throttle/slot-store.ts'
import { createThrottle } from '../src/deliver/throttle/throttle.ts'
import { db } from './own-schema.ts'

const bulk: Reach = { nearMs: 400 }
const urgent: Reach = { nearMs: 100, keptMs: 1000 }

/** A provider with clocks; its reservations as the times at which sends begin, in milliseconds of Unix time. */
async function limited(perSecond: number) {
  const providerId = newId('prov')
  await makeSlots(db, [providerId])
  const reserve = async (count: number, reach: Reach) => {
    const begunMs = Date.now()
    const [row] = await reserveSlots(db, [{ provider_id: providerId, count, per_second: perSecond }], reach)
    const [{ now_ms }] = (await db.run<{ now_ms: number }>(
      'select extract(epoch from now())::float8 * 1000 as now_ms',
    )) as [{ now_ms: number }]
    return { ...row!, begunMs, now_ms }
  }
  return { providerId, reserve }
}

test('a campaign gets at most four fifths of the rate, only so far ahead; the rest learns of the next slot', async () => {
  const { reserve } = await limited(20)
  const first = await reserve(100, bulk)
  // A slot each 62.5 ms, from now to 400 ms ahead.
  expect(first).toMatchObject({ shared: 7, kept: 0, shared_in_ms: 0, every_ms: 62.5, next_in_ms: 437.5 })
  const second = await reserve(100, bulk)
  const passedMs = second.now_ms - first.begunMs
  // No more than became free meanwhile.
  expect(second.shared).toBeLessThanOrEqual(Math.ceil(passedMs / 62.5))
  // Sends that were put off before have no slots: the next one is just beyond the reach.
  expect(second.next_in_ms).toBeGreaterThan(400)
  expect(second.next_in_ms).toBeLessThanOrEqual(462.5)
})

test('a code finds its slot at once while a campaign takes all that it can get', async () => {
  const code = await eventually(async () => {
    const { reserve } = await limited(20)
    const campaign = await reserve(100, bulk)
    const reserved = await reserve(1, urgent)
    // The campaign has taken the next 437.5 ms; once fewer than 100 ms are left, a code finds a shared slot as well.
    expect(reserved.now_ms - campaign.begunMs).toBeLessThan(300)
    return reserved
  })
  expect(code).toMatchObject({ shared: 0, kept: 1, kept_in_ms: 0 })
})

test('urgent messages have the whole rate when they are alone', async () => {
  const { reserve } = await limited(20)
  const { shared, kept } = await reserve(100, urgent)
  // A second ahead: 16 and 4, and the first of each.
  expect([shared, kept]).toEqual([17, 5])
})

test('clocks that the one of Postgres has left ahead when it was set back stop nobody', async () => {
  const { providerId, reserve } = await limited(20)
  await db.run(
    `update send_slots set shared_ms = ahead, kept_ms = ahead, urgent_until_ms = ahead, bulk_until_ms = ahead
     from (select extract(epoch from now()) * 1000 + 600000 as ahead) as clock where provider_id = $1`,
    [providerId],
  )
  const { shared_in_ms, kept_in_ms, next_in_ms } = await reserve(1, urgent)
  // The longest turn, and the interval of the part.
  expect([shared_in_ms, kept_in_ms]).toEqual([1062.5, 1250])
  expect(next_in_ms).toBe(1062.5)
  // The lanes of a campaign do not wait for what was put off by the former clock either.
  expect((await reserve(1, bulk)).next_in_ms).toBeLessThan(1200)
})

test('slots that others have reserved since a transaction began stay reserved', async () => {
  const { providerId, reserve } = await limited(20)
  const clock = async () => {
    const [row] = await db.run<{ shared_ms: number }>(
      `select shared_ms from send_slots where provider_id = '${providerId}'`,
    )
    return row!.shared_ms
  }
  const begun = Promise.withResolvers<void>()
  const others = Promise.withResolvers<void>()
  const slow = db.transaction(async (run) => {
    await run('select now()')
    begun.resolve()
    await others.promise
    return reserveSlots({ ...db, run }, [{ provider_id: providerId, count: 1, per_second: 20 }], urgent)
  })
  await begun.promise
  await delay(300)
  await reserve(100, urgent)
  const reservedMs = await clock()
  others.resolve()
  await slow
  expect(await clock()).toBeGreaterThanOrEqual(reservedMs)
})

test('unused slots are lost', async () => {
  const { providerId, reserve } = await limited(10)
  await db.run('update send_slots set shared_ms = shared_ms - 60000, kept_ms = 1 where provider_id = $1', [providerId])
  expect((await reserve(100, urgent)).shared).toBeLessThanOrEqual(9)
})

test('a send that is put off asks again by the next slot, however many were put off before', async () => {
  const { reserve } = await limited(1)
  await reserve(10_000, bulk)
  expect((await reserve(1, bulk)).next_in_ms).toBeLessThanOrEqual(1250)
  await reserve(10_000, urgent)
  expect((await reserve(1, urgent)).next_in_ms).toBeLessThanOrEqual(2500)
})

test('two workers and two lanes together keep to the rate: nothing begins before its slot', async () => {
  const providerId = newId('prov')
  const throttles = [
    createThrottle(db, 'urgent'),
    createThrottle(db, 'urgent'),
    createThrottle(db, 'bulk'),
    createThrottle(db, 'bulk'),
  ]
  const begunMs: number[] = []
  const started = performance.now()
  await Promise.all(
    throttles.map(async (throttle) => {
      // Each wants far more than there is.
      while (begunMs.length < 100 && performance.now() < started + patienceMs) {
        await Promise.all(
          Array.from({ length: 10 }, async () => {
            if ((await throttle.turn(providerId, 40)) === 0) begunMs.push(performance.now() - started)
          }),
        )
      }
    }),
  )
  // A busy machine begins late, never early: by any moment at most 40 a second and the first of each part have begun.
  const timerSlipMs = 50
  const early = begunMs.sort((a, b) => a - b).filter((ms, before) => before - 1 > ((ms + timerSlipMs) * 40) / 1000)
  expect(early).toEqual([])
  // And the limit is used: one begins each 25 ms, but for pauses of a busy machine.
  const gapsMs = begunMs.slice(1).map((ms, before) => ms - begunMs[before]!)
  expect(begunMs.length).toBeGreaterThanOrEqual(100)
  expect(gapsMs.sort((a, b) => a - b)[Math.floor(gapsMs.length / 2)]).toBeLessThan(45)
})

test('while Postgres does not answer a worker goes on by itself with a part of the rate', async () => {
  const away: Queries = { ...db, run: () => Promise.reject(new Error('away')) }
  const throttle = createThrottle(away, 'urgent')
  const turns = await Promise.all(Array.from({ length: 10 }, () => throttle.turn('prov', 20)))
  // 5 a second: now and up to a second ahead; the others ask again.
  expect(turns.filter((againInMs) => againInMs === 0)).toHaveLength(6)
  expect(Math.min(...turns.filter((againInMs) => againInMs > 0))).toBeGreaterThan(1000)
})
