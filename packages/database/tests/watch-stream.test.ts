import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, snapshotNats, TestEnv } from '@notify/dev-env'
import { provisionStream } from '@notify/messaging'
import { countRowsRead } from '@notify/test-kit/database'
import { createTestKit } from '@notify/test-kit/kit'
import type { Queries } from '../src/open.ts'
import { startOutboxRelay } from '../src/outbox/relay.ts'
import { noteLoss, republishLost } from '../src/outbox/republish-lost.ts'
import { outboxTables } from '../src/outbox/tables.ts'
import { createStreamWatch, noticeLoss } from '../src/outbox/watch-stream.ts'
import { sessionSettings } from '../src/session-settings.ts'
import { type BusProcess, enqueue, numbersIn, startBusProcess, stored, wipeNats } from './outbox.ts'
import { makeTables, startProcess } from './schema.ts'

let env: TestEnv
let one: BusProcess

beforeAll(async () => {
  env = await TestEnv.start([])
  await makeTables(env, outboxTables)
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate outbox, stream_watermark, stream_losses')
  one = await startBusProcess(env)
  await one.bus.jsm.streams.delete('CONSENT').catch(() => {})
  await provisionStream(one.bus, 'consent', 1)
})
afterEach(() => one.kit.stop())

const republishMs = 300_000
const options = { streamReplicas: 1, republishMs }
const relay = ({ kit, db, bus }: BusProcess) => startOutboxRelay(kit, db, bus, options)
const forgotten = ({ kit }: BusProcess) => kit.lines.filter(({ msg }) => /JetStream has forgotten/.test(msg))
const repairedBy = ({ kit }: BusProcess) =>
  kit.lines.filter(({ msg }) => /republished messages that the stream may have lost/.test(msg))
const inStream = (numbers: readonly number[]) =>
  eventually(async () => expect(numbersIn(await stored(one)).toSorted()).toEqual(numbers))

/** A process that starts compares the stream with what it knows before it publishes anything. */
async function restart(): Promise<void> {
  await one.kit.stop()
  one = await startBusProcess(env)
}

test('after nats-server lost its disk, what had been published is published again, under new ids', async () => {
  relay(one)
  await enqueue(one, [1, 2, 3])
  await inStream([1, 2, 3])
  const before = await stored(one)
  await wipeNats(env)
  await inStream([1, 2, 3])
  const after = await stored(one)
  const ids = (messages: typeof after) => messages.map(({ messageId }) => messageId).toSorted()
  expect(ids(after)).toEqual(ids(before))
  expect(after.map(({ messageId, publicationId }) => publicationId === `${messageId}:1`)).toEqual([true, true, true])
  expect(forgotten(one)).toHaveLength(1)
  await eventually(() => expect(repairedBy(one)).toMatchObject([{ messages: 3 }]))
})

test('new events go on after a loss, and a second loss is noticed as well', async () => {
  relay(one)
  await enqueue(one, [1])
  await inStream([1])
  await wipeNats(env)
  await inStream([1])
  await enqueue(one, [2])
  await inStream([1, 2])
  await wipeNats(env)
  await inStream([1, 2])
})

const notices = ({ kit }: BusProcess) =>
  kit.lines.filter(({ msg }) => /JetStream (has forgotten|was restarted)/.test(msg))

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'after a restart of nats-server (%s) what was published within the window is published again, and nothing older',
  async (signal) => {
    relay(one)
    await enqueue(one, [1, 2, 3])
    await inStream([1, 2, 3])
    await one.db.run(
      `update outbox set published_at = now() - interval '1 hour' where events like '%"n":1%' or events like '%"n": 1%'`,
    )
    await env.kill('nats', signal)
    await env.restart('nats')
    await enqueue(one, [4])
    await inStream([1, 2, 2, 3, 3, 4])
    expect(forgotten(one)).toEqual([])
    expect(notices(one)).toHaveLength(1)
    await eventually(() => expect(repairedBy(one)).toMatchObject([{ messages: 2 }]))
  },
)

test('a reconnection to the same nats-server publishes nothing again', async () => {
  relay(one)
  await enqueue(one, [1, 2, 3])
  await inStream([1, 2, 3])
  await one.bus.connection.reconnect()
  await enqueue(one, [4])
  await inStream([1, 2, 3, 4])
  expect(notices(one)).toEqual([])
})

test('a hole in the middle is noticed although others have published beyond it, also by a service that was away', async () => {
  relay(one)
  await enqueue(one, [1])
  await inStream([1])
  await one.kit.stop()
  const before = await snapshotNats(env)
  one = await startBusProcess(env)
  relay(one)
  await enqueue(one, [2, 3])
  await inStream([1, 2, 3])
  await one.kit.stop()
  await before.putBack()
  // A stranger to the outbox takes the sequences of what was lost, and more.
  one = await startBusProcess(env)
  for (const n of [10, 11, 12])
    await one.bus.js.publish('consent.told.a', JSON.stringify([{ event: { kind: 'a', n } }]))
  await restart()
  relay(one)
  await eventually(async () => expect(new Set(numbersIn(await stored(one)))).toEqual(new Set([1, 2, 3, 10, 11, 12])))
  expect(forgotten(one)).toEqual([])
})

test('an event published before the loss and marked after it is published again', async () => {
  const published = Promise.withResolvers<void>()
  const mayMark = Promise.withResolvers<void>()
  await enqueue(one, [1])
  const marking = one.db.transaction(async (run) => {
    await run('select id from outbox for update')
    await run('select now()')
    published.resolve()
    await mayMark.promise
    await run(`update outbox set published_at = now(), published_seq = 1, publications = 1`)
  })
  await published.promise
  const published_after = new Date(Date.now() - republishMs)
  await one.db.transaction((run) => noteLoss(run, 'CONSENT', { last_seq: 9, published_after, isRewound: false }))
  const patient: Queries = {
    ...one.db,
    transaction: (work) =>
      one.db.transaction(async (run) => {
        await run('set local lock_timeout = 0')
        await run('set local statement_timeout = 0')
        return work(run)
      }),
  }
  const round = republishLost(patient, 'CONSENT')
  await eventually(async () => {
    const { rows } = await env.admin.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database()`)
    expect(rows).toHaveLength(1)
  })
  mayMark.resolve()
  await marking
  expect(await round).toEqual({ left: 'nothing', republished: 1 })
})

test('a loss while the service was away is noticed when it starts', async () => {
  relay(one)
  await enqueue(one, [1, 2])
  await inStream([1, 2])
  await restart()
  await one.bus.jsm.streams.delete('CONSENT')
  relay(one)
  await inStream([1, 2])
})

test('the end of a stream that was lost is noticed, however little it is', async () => {
  relay(one)
  await enqueue(one, [1, 2, 3])
  await inStream([1, 2, 3])
  await restart()
  // As after a kill that lost what was not yet on disk: the first message is there, the others are not.
  const [first] = await stored(one)
  await one.bus.jsm.streams.delete('CONSENT')
  await provisionStream(one.bus, 'consent', 1)
  await one.bus.js.publish(first!.subject, JSON.stringify(first!.events))
  relay(one)
  await eventually(async () => expect(new Set(numbersIn(await stored(one)))).toEqual(new Set([1, 2, 3])))
})

test('an event published since the last check and lost is published again', async () => {
  const watch = createStreamWatch(one.kit, one.db, one.bus, options)
  await watch.ensureChecked()
  // Published and marked, and no check since.
  await enqueue(one, [1])
  const { seq } = await one.bus.js.publish('consent.told.a', JSON.stringify([{ event: { kind: 'a', n: 1 } }]))
  await env.sql('consent').query('update outbox set published_at = now(), published_seq = $1, publications = 1', [seq])
  await one.bus.jsm.streams.delete('CONSENT')
  await restart()
  relay(one)
  await inStream([1])
})

test('a stream that other replicas publish to while it is compared has not forgotten anything', async () => {
  const others = await Promise.all([startBusProcess(env), startBusProcess(env)])
  const checkers: BusProcess[] = []
  for (const process of [one, ...others]) relay(process)
  let ended = false
  const publishing = (async () => {
    for (let n = 0; !ended; n += 4) await enqueue(one, [n, n + 1, n + 2, n + 3])
  })()
  for (let round = 0; round < 30; round++) {
    // Kits of their own, so that the watches of a round end with it.
    const own = [one, ...others].map((process) => ({ ...process, kit: createTestKit('consent') }))
    checkers.push(...own)
    const watches = own.map(({ kit, db, bus }) => createStreamWatch(kit, db, bus, options))
    // One check after the other: the last may wait for the row longer than a lock timeout.
    await Promise.all(watches.map((watch) => eventually(() => watch.ensureChecked())))
    await Promise.all(own.map(({ kit }) => kit.stop()))
  }
  ended = true
  await publishing
  expect([one, ...others, ...checkers].flatMap(forgotten)).toEqual([])
  await Promise.all(others.map(({ kit }) => kit.stop()))
})

const many = 40_000
/** A few pages, where it does not matter how many rows there are. */
const some = 4000
/** Far more than a page needs, far less than all rows at once would. */
const shortest = '400ms'

/** Everything of a week, published long ago to a stream that is gone by now. */
async function publishAndLose(subject: (n: string) => string, count: number): Promise<void> {
  await one.db.runLong(
    `insert into outbox (id, subject, events, created_at, published_at, published_seq, publications)
     select uuidv7(make_interval(mins => n - ${count})), ${subject('n')}, '[]', now(), now() - interval '1 day', n, 1
     from generate_series(1, ${count}) n`,
  )
  await one.db.run(`insert into stream_watermark values ('CONSENT', ${count}, now())`)
}

/** Publishes nothing, but marks what is to be published as if it had; how often is what the tests look at. */
const markPublished = () =>
  one.db.run('update outbox set published_at = now(), publications = publications + 1 where published_at is null')

const publications = () =>
  one.db.run<{ publications: number; count: number }>(
    'select publications, count(*)::int as count from outbox group by publications order by publications',
  )

test('a week of messages is published again in short rounds, each message once, whichever replica dies in the middle', async () => {
  await publishAndLose(() => `'consent.told.a'`, many)
  let rounds = 0
  // Dies in the middle of each fifth round, after its statements and before it commits.
  const dying: Queries = {
    ...one.db,
    transaction: (work) =>
      one.db.transaction(async (run) => {
        await run(`set local statement_timeout = '${shortest}'`)
        const result = await work(run)
        if (++rounds % 5 === 0) throw new Error('the process ended')
        return result
      }),
  }
  createStreamWatch(one.kit, dying, one.bus, options)
  const allTwice = async () => {
    await markPublished()
    expect(await publications()).toEqual([{ publications: 2, count: many }])
  }
  // The repair waits for each page to be marked.
  await eventually(allTwice, { intervalMs: 20, timeoutMs: 180_000 })
  await eventually(() => expect(repairedBy(one)).toMatchObject([{ messages: many }]))
  expect(forgotten(one)).toHaveLength(1)
  expect(rounds).toBeGreaterThan(many / 1000)
})

test('a loss is noticed once, also by processes that compare before it is repaired', async () => {
  await publishAndLose(() => `'consent.told.a'`, some)
  await one.db.run('update outbox set published_at = now()')
  // Nobody publishes, so the repair stays at its first page.
  await createStreamWatch(one.kit, one.db, one.bus, options).ensureChecked()
  const other = await startBusProcess(env)
  await createStreamWatch(other.kit, other.db, other.bus, options).ensureChecked()
  expect([one, other].flatMap(forgotten)).toHaveLength(1)
  await other.kit.stop()
})

test('a new event waits behind at most a thousand old ones', async () => {
  await publishAndLose(() => `'consent.told.a'`, some)
  createStreamWatch(one.kit, one.db, one.bus, options)
  const waiting = async () =>
    (await one.db.run<{ count: number }>('select count(*)::int as count from outbox where published_at is null'))[0]!
      .count
  await eventually(async () => expect(await waiting()).toBe(1000))
  await enqueue(one, [1])
  for (let round = 0; round < 3; round++) {
    // Nobody publishes: more rounds pass and add nothing.
    const { rows: before } = await env.sql('consent').query('select * from stream_losses')
    await eventually(async () => expect(await waiting()).toBe(1001))
    expect((await env.sql('consent').query('select * from stream_losses')).rows).toEqual(before)
  }
})

test('a second loss before the first was repaired costs nothing', async () => {
  await publishAndLose(() => `'consent.told.a'`, some)
  await one.db.transaction((run) =>
    noteLoss(run, 'CONSENT', {
      last_seq: 100,
      published_after: new Date(),
      isRewound: true,
    }),
  )
  await republishLost(one.db, 'CONSENT')
  await markPublished()
  await one.db.transaction((run) =>
    noteLoss(run, 'CONSENT', {
      last_seq: some,
      published_after: new Date(),
      isRewound: false,
    }),
  )
  for (;;) {
    const { left } = await republishLost(one.db, 'CONSENT')
    await markPublished()
    if (left === 'nothing') break
  }
  expect(await one.db.run('select count(*)::int as count from outbox where publications = 1')).toEqual([{ count: 100 }])
})

test('a comparison reads few messages of a large outbox, also with the settings of dispatch', async () => {
  const { db, kit } = await startProcess(env, { poolSize: 1 })
  try {
    const { search_path: _, ...settings } = sessionSettings('dispatch')
    for (const [name, value] of Object.entries(settings)) await db.run(`set ${name} = '${value}'`)
    // Rows of a week, of which the newest have taken the place of deleted ones.
    await db.runLong(
      `insert into outbox (subject, events, published_at, published_seq)
       select 'consent.told.a', repeat('x', 1000), now() - interval '1 hour' - ((5000 + $1 - i) % $1) * interval '25 s', i
       from generate_series(1, $1::int) as i`,
      [many],
    )
    await db.runLong(`select brin_summarize_new_values('outbox_published_at')`)
    await db.runLong('analyze outbox')
    await noticeLoss(one.kit, db, one.bus, options)
    const read = await countRowsRead(db, ['outbox'], (counted) => noticeLoss(one.kit, counted, one.bus, options))
    expect(read).toBeLessThan(many / 4)
  } finally {
    await kit.stop()
  }
})
