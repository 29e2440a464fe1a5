import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { wakeSubject } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { provisionStream } from '@notify/messaging'
import { enqueueEvents, enqueueSql } from '../src/outbox/enqueue.ts'
import { oldestPublishableSeconds } from '../src/outbox/outbox-store.ts'
import { startOutboxRelay } from '../src/outbox/relay.ts'
import { outboxTables } from '../src/outbox/tables.ts'
import { createOutboxWaker } from '../src/outbox/wake-outbox.ts'
import { type BusProcess, enqueue, numbered, numbersIn, startBusProcess, stored } from './outbox.ts'
import { makeTables } from './schema.ts'

let env: TestEnv
let one: BusProcess

beforeAll(async () => {
  env = await TestEnv.start([])
  await makeTables(env, outboxTables)
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate outbox, stream_watermark')
  one = await startBusProcess(env)
  await one.bus.jsm.streams.delete('CONSENT').catch(() => {})
  await provisionStream(one.bus, 'consent', 1)
})
afterEach(() => one.kit.stop())

const relay = ({ kit, db, bus }: BusProcess, options: { urgentSubjects?: readonly string[]; pollMs?: number } = {}) =>
  startOutboxRelay(kit, db, bus, { streamReplicas: 1, republishMs: 300_000, ...options })
const rows = async () => (await env.sql('consent').query('select * from outbox order by id')).rows
const allPublished = () =>
  eventually(async () => {
    const all = await rows()
    expect(all.length).toBeGreaterThan(0)
    expect(all.filter(({ published_at }) => published_at === null)).toHaveLength(0)
  })

test('an event written by a transaction is published once, under its own id, and marked', async () => {
  relay(one)
  await enqueue(one, [1, 2, 3])
  await allPublished()
  const messages = await stored(one)
  expect(numbersIn(messages).toSorted()).toEqual([1, 2, 3])
  const kept = await rows()
  expect(messages.map(({ messageId }) => messageId).toSorted()).toEqual(kept.map(({ id }) => id))
  expect(messages.every(({ messageId, publicationId }) => messageId === publicationId)).toBe(true)
  expect(kept.map(({ publications }) => publications)).toEqual([1, 1, 1])
  expect(kept.map(({ published_seq }) => Number(published_seq)).toSorted()).toEqual(messages.map(({ seq }) => seq))
})

test('a message that was committed long after it got its id is published, although others are all the time', async () => {
  // Longer than the test: only commits of others wake it.
  relay(one, { pollMs: 3_600_000 })
  const wake = createOutboxWaker({ service: 'consent' }, one.bus)
  await enqueue(one, [1])
  wake()
  await allPublished()
  const sql = env.sql('consent')
  await sql.query(
    `insert into outbox (id, subject, events) select uuidv7(-interval '1 minute'), subject, events from outbox limit 1`,
  )
  await eventually(async () => {
    await enqueue(one, [2])
    wake()
    expect((await rows())[0].published_at).not.toBeNull()
  })
})

test('an event of a rolled-back transaction is never published', async () => {
  const failing = one.db.transaction(async (run) => {
    await enqueueEvents(run, numbered, [{ event: { kind: 'a', n: 1 } }])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  relay(one)
  await enqueue(one, [2])
  await allPublished()
  expect(numbersIn(await stored(one))).toEqual([2])
})

test('events of one subject travel in one message, each with its trace', async () => {
  relay(one)
  await one.db.transaction((run) =>
    enqueueEvents(run, numbered, [
      { event: { kind: 'a', n: 1 }, traceparent: 'trace-1' },
      { event: { kind: 'b', n: 2 } },
      { event: { kind: 'a', n: 3 } },
    ]),
  )
  await allPublished()
  const messages = (await stored(one)).toSorted((a, b) => a.subject.localeCompare(b.subject))
  expect(messages.map(({ subject, events }) => [subject, events])).toEqual([
    ['consent.told.a', [{ event: { kind: 'a', n: 1 }, traceparent: 'trace-1' }, { event: { kind: 'a', n: 3 } }]],
    ['consent.told.b', [{ event: { kind: 'b', n: 2 } }]],
  ])
})

test('a statement that changes rows can publish the change in itself', async () => {
  relay(one)
  const source = `(values ('a', 1, 'trace-1'), ('a', 2, null), ('b', 3, null)) as changed (kind, n, traceparent)`
  await one.db.run(enqueueSql(numbered, source, `json_build_object('kind', kind, 'n', n)`))
  await allPublished()
  const messages = await stored(one)
  expect(messages.map(({ subject }) => subject).toSorted()).toEqual(['consent.told.a', 'consent.told.b'])
  expect(numbersIn(messages).toSorted()).toEqual([1, 2, 3])
  expect(messages.flatMap(({ events }) => events).find(({ event }) => event.n === 1)?.traceparent).toBe('trace-1')
})

test('events that NATS takes in no single message are published in several', async () => {
  relay(one)
  // 400 KB each.
  const traceparent = 'ü'.repeat(200_000)
  const events = [1, 2, 3].map((n) => ({ event: { kind: 'a', n }, traceparent }) as const)
  await one.db.transaction((run) => enqueueEvents(run, numbered, events))
  const source = `(select 'a' as kind, n, repeat('ü', 200000) as traceparent from generate_series(4, 6) as n) as changed`
  await one.db.run(enqueueSql(numbered, source, `json_build_object('kind', kind, 'n', n)`))
  await allPublished()
  expect(numbersIn(await stored(one)).toSorted()).toEqual([1, 2, 3, 4, 5, 6])
})

test('messages that NATS can never take delay no others, however many they are', async () => {
  await one.db.runLong(
    `insert into outbox (subject, events) select 'consent.told.a', rpad('[', 1048576) || ']' from generate_series(1, 64)`,
  )
  await enqueue(one, [1])
  relay(one)
  await eventually(async () => expect(numbersIn(await stored(one))).toEqual([1]))
})

test('the age of the oldest message to publish ignores those that are too large, and those refused for a day', async () => {
  const age = () => oldestPublishableSeconds(one.db.run)
  await one.db.run(
    `insert into outbox (id, subject, events, created_at)
     select uuidv7(-age), 'consent.told.a', events, now() - age
     from (values (interval '1 hour', rpad('[', 1048576)), (interval '25 hours', '[]')) as old (age, events)`,
  )
  expect(await age()).toBe(0)
  await enqueue(one, [1])
  expect(await age()).toBeGreaterThan(0)
  expect(await age()).toBeLessThan(3600)
})

test('an urgent event is published before older ones, and once', async () => {
  await enqueue(
    one,
    Array.from({ length: 300 }, (_, i) => i),
  )
  await one.db.transaction((run) => enqueueEvents(run, numbered, [{ event: { kind: 'b', n: 300 } }]))
  relay(one, { urgentSubjects: ['consent.told.b'] })
  await allPublished()
  const numbers = numbersIn(await stored(one))
  expect(numbers[0]).toBe(300)
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 301 }, (_, i) => i))
})

test('two relays publish each message once', async () => {
  const two = await startBusProcess(env)
  const numbers = Array.from({ length: 1000 }, (_, i) => i)
  await enqueue(one, numbers.slice(0, 500))
  relay(one)
  relay(two)
  await enqueue(two, numbers.slice(500))
  await allPublished()
  expect(numbersIn(await stored(one)).toSorted((a, b) => a - b)).toEqual(numbers)
  expect((await rows()).every(({ publications }) => publications === 1)).toBe(true)
  await eventually(() => {
    const counted = [one, two].map(({ kit }) => kit.counted('outbox_published_total'))
    expect(counted[0]! + counted[1]!).toBe(1000)
  })
  await two.kit.stop()
})

test('an idle relay looks for messages with one statement, not with a transaction', async () => {
  let looks = 0
  let transactions = 0
  const run: BusProcess['db']['run'] = (statement, values) => {
    if (typeof statement === 'object' && statement.name === 'look-outbox') looks++
    return one.db.run(statement, values)
  }
  const transaction: BusProcess['db']['transaction'] = (work) => {
    transactions++
    return one.db.transaction(work)
  }
  const whileLocked: BusProcess['db']['whileLocked'] = (steps) => {
    transactions++
    return one.db.whileLocked(steps)
  }
  relay({ ...one, db: { ...one.db, run, transaction, whileLocked } }, { pollMs: 200 })
  await eventually(async () => expect(looks).toBeGreaterThanOrEqual(10))
  // The first comparison with the stream, for the relay and for its watch.
  const before = transactions
  expect(before).toBeLessThanOrEqual(2)
  // More than five seconds: the watch has looked at the stream again.
  await eventually(async () => expect(looks).toBeGreaterThanOrEqual(40))
  expect(transactions).toBe(before)
  await enqueue(one, [1])
  await allPublished()
})

test('a message that Postgres did not learn was published is not stored a second time', async () => {
  relay(one)
  await enqueue(one, [1])
  await allPublished()
  // As a crash between the publishing and the commit leaves it.
  await env.sql('consent').query('update outbox set published_at = null, published_seq = null, publications = 0')
  await allPublished()
  expect(numbersIn(await stored(one))).toEqual([1])
})

test('events committed while NATS is down are published when it is back', async () => {
  relay(one)
  await enqueue(one, [1])
  await allPublished()
  await env.kill('nats')
  await enqueue(one, [2, 3])
  await eventually(() => expect(one.kit.lines.some(({ msg }) => /periodic task failed/.test(msg))).toBe(true))
  expect((await rows()).filter(({ published_at }) => published_at === null)).toHaveLength(2)
  await env.restart('nats')
  await allPublished()
  const numbers = numbersIn(await stored(one))
  expect([...new Set(numbers)].toSorted()).toEqual([1, 2, 3])
})

test('a relay that was woken does not wait for its next look', async () => {
  // Longer than the test.
  relay(one, { pollMs: 3_600_000 })
  const wake = createOutboxWaker({ service: 'consent' }, one.bus)
  for (let n = 0; n < 5; n++) {
    await enqueue(one, [n])
    wake()
    await eventually(async () => expect((await rows()).every(({ published_at }) => published_at)).toBe(true))
  }
})

test('a process without a relay wakes that of another one', async () => {
  const two = await startBusProcess(env)
  // Longer than the test.
  relay(one, { pollMs: 3_600_000 })
  const wake = createOutboxWaker({ service: 'consent' }, two.bus)
  for (const urgency of ['later', 'awaited'] as const) {
    await enqueue(two, [1])
    wake(urgency)
    await allPublished()
  }
  await two.kit.stop()
})

test('the first wake-up is sent at once, later ones together, and one for what is awaited does not wait for those', async () => {
  const sentMs: number[] = []
  const two = await startBusProcess(env)
  two.bus.connection.subscribe(wakeSubject('consent'), { callback: () => void sentMs.push(performance.now()) })
  await two.bus.connection.flush()
  const wake = createOutboxWaker({ service: 'consent' }, one.bus)
  const startedMs = performance.now()
  for (let n = 0; n < 10; n++) wake()
  await eventually(() => expect(sentMs).toHaveLength(2))
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(39)
  // A busy machine may delay a message longer than a process collects, but not each one.
  await eventually(async () => {
    const { length } = sentMs
    wake()
    wake('awaited')
    const askedMs = performance.now()
    await eventually(() => expect(sentMs.length).toBeGreaterThan(length))
    expect(sentMs[length]! - askedMs).toBeLessThan(30)
  })
  await two.kit.stop()
})

test('waking a relay after the connection has closed harms nobody', async () => {
  const wake = createOutboxWaker({ service: 'consent' }, one.bus)
  await one.bus.connection.close()
  wake()
  wake()
})

test('a stop leaves nothing half done: what is not published stays for the next relay', async () => {
  await enqueue(
    one,
    Array.from({ length: 300 }, (_, i) => i),
  )
  relay(one)
  await one.kit.stop()
  one = await startBusProcess(env)
  const published = (await rows()).filter(({ published_at }) => published_at !== null)
  expect(numbersIn(await stored(one))).toHaveLength(published.length)
  relay(one)
  await allPublished()
  expect(numbersIn(await stored(one))).toHaveLength(300)
})
