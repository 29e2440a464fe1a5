import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { provisionStream } from '@notify/messaging'
import { eventually, TestEnv } from '../../dev-env/src/index.ts'
import { startOutboxRelay } from '../src/outbox/relay.ts'
import { createOutboxTables } from '../src/outbox/tables.ts'
import { createStreamWatch } from '../src/outbox/watch-stream.ts'
import { type BusProcess, enqueue, numbersIn, startBusProcess, stored, wipeNats } from './outbox.ts'
import { startProcess } from './schema.ts'

let env: TestEnv
let one: BusProcess

beforeAll(async () => {
  env = await TestEnv.start([])
  const { db, kit } = await startProcess(env)
  await createOutboxTables(db.kysely as never)
  await kit.stop()
})
afterAll(() => env.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate outbox, stream_watermark')
  one = await startBusProcess(env)
  await one.bus.jsm.streams.delete('CONSENT').catch(() => {})
  await provisionStream(one.bus, 'consent', 1)
})
afterEach(() => one.kit.stop())

const relay = ({ kit, db, bus }: BusProcess) => startOutboxRelay(kit, db, bus, 1)
const forgotten = ({ kit }: BusProcess) => kit.lines.filter(({ msg }) => /JetStream has forgotten/.test(msg))
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
  expect(forgotten(one)).toMatchObject([{ messages: 3 }])
})

test('what is new goes on after a loss, and a second loss is noticed as well', async () => {
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

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a plain restart of nats-server (%s) publishes nothing again',
  async (signal) => {
    relay(one)
    await enqueue(one, [1, 2, 3])
    await inStream([1, 2, 3])
    await env.kill('nats', signal)
    await env.restart('nats')
    await enqueue(one, [4])
    await inStream([1, 2, 3, 4])
    expect(forgotten(one)).toEqual([])
  },
)

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

test('what was published since the last check and lost is published again', async () => {
  const watch = createStreamWatch(one.kit, one.db, one.bus, 1)
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
  for (const process of [one, ...others]) relay(process)
  let ended = false
  const publishing = (async () => {
    for (let n = 0; !ended; n += 4) await enqueue(one, [n, n + 1, n + 2, n + 3])
  })()
  for (let round = 0; round < 30; round++) {
    const watches = [one, ...others].map(({ kit, db, bus }) => createStreamWatch(kit, db, bus, 1))
    await Promise.all(watches.map((watch) => watch.ensureChecked()))
  }
  ended = true
  await publishing
  expect([one, ...others].flatMap(forgotten)).toEqual([])
  await Promise.all(others.map(({ kit }) => kit.stop()))
})
