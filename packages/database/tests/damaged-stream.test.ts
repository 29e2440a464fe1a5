import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { eraseMessage, provisionStream } from '@notify/messaging'
import { startOutboxRelay } from '../src/outbox/relay.ts'
import { outboxTables } from '../src/outbox/tables.ts'
import { createStreamWatch } from '../src/outbox/watch-stream.ts'
import { type BusProcess, enqueue, numbersIn, startBusProcess, stored } from './outbox.ts'
import { makeTables } from './schema.ts'

let env: TestEnv
let one: BusProcess

beforeAll(async () => {
  env = await TestEnv.start([])
  await makeTables(env, outboxTables)
})
afterAll(() => env?.stop())
beforeEach(async () => {
  await env.sql('consent').query('truncate outbox, stream_watermark, stream_losses')
  one = await startBusProcess(env)
  await one.bus.jsm.streams.delete('CONSENT').catch(() => {})
  await provisionStream(one.bus, 'consent', 1)
})
afterEach(() => one.kit.stop())

const options = { streamReplicas: 1, republishMs: 300_000 }
const inStream = (numbers: readonly number[]) =>
  eventually(async () => expect(new Set(numbersIn(await stored(one)))).toEqual(new Set(numbers)))
const notices = () => one.kit.lines.filter(({ msg }) => /JetStream cannot read its newest messages/.test(msg))

/** Zeroes the last message in the store from an offset, and removes the index that knows it. */
function damageEnd(offset: number): void {
  const folder = join(env.stack.dataDir, 'nats', 'jetstream', 'jetstream', '$G', 'streams', 'CONSENT', 'msgs')
  const bytes = readFileSync(join(folder, '1.blk'))
  let start = 0
  // A record begins with its length, whose highest bit tells of headers.
  for (let next = 0; next < bytes.length; next += bytes.readUInt32LE(next) & 0x7fffffff) start = next
  writeFileSync(join(folder, '1.blk'), bytes.fill(0, start + offset))
  rmSync(join(folder, '1.idx'))
}

test.each([
  ['content', 40],
  ['sequence', 4],
])(
  'a stream with a damaged block (from the %s of a message) is emptied: what it had and what is new can be read',
  async (_, offset) => {
    startOutboxRelay(one.kit, one.db, one.bus, options)
    await enqueue(one, [1])
    await enqueue(one, [2])
    await inStream([1, 2])
    await one.db.run(`update outbox set published_at = now() - interval '1 hour'`)
    await env.kill('nats')
    damageEnd(offset)
    await env.restart('nats')
    await enqueue(one, [3])
    await inStream([1, 2, 3])
    expect(notices()).toHaveLength(1)
    expect(one.kit.counted('stream_losses_total', { stream: 'CONSENT', cause: 'damaged' })).toBe(1)
  },
)

/** Starts a process that knows of a loss: two messages were published long ago, and their position is not what it was. */
async function startAfterLoss(): Promise<void> {
  startOutboxRelay(one.kit, one.db, one.bus, options)
  await enqueue(one, [1, 2])
  await inStream([1, 2])
  await one.kit.stop()
  one = await startBusProcess(env)
  await one.db.run(`update outbox set published_at = now() - interval '1 hour'`)
  await one.db.run('update stream_watermark set last_seq = -1')
}

test('a process that dies after it has emptied the stream leaves the rest to the next one', async () => {
  await startAfterLoss()
  await one.bus.jsm.streams.purge('CONSENT')
  startOutboxRelay(one.kit, one.db, one.bus, options)
  await inStream([1, 2])
})

test.each([2, 0])(
  'a process that was frozen before it empties the stream (last sequence %i) removes nothing newer',
  async (last) => {
    await startAfterLoss()
    if (last === 0) {
      await one.bus.jsm.streams.delete('CONSENT')
      await provisionStream(one.bus, 'consent', 1)
    }
    const { jsm } = one.bus
    const purge = jsm.streams.purge.bind(jsm.streams)
    const isFrozen = Promise.withResolvers<void>()
    const wakes = Promise.withResolvers<void>()
    const hasPurged = Promise.withResolvers<void>()
    jest.spyOn(jsm.streams, 'purge').mockImplementationOnce(async (...request) => {
      isFrozen.resolve()
      await wakes.promise
      const answer = await purge(...request)
      hasPurged.resolve()
      return answer
    })
    const checked = createStreamWatch(one.kit, one.db, one.bus, options)
      .ensureChecked()
      .catch(() => {})
    await isFrozen.promise
    await env.admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'`)
    const other = await startBusProcess(env)
    startOutboxRelay(other.kit, other.db, other.bus, options)
    await eventually(async () => {
      const messages = await stored(one)
      expect([numbersIn(messages), messages.every(({ seq }) => seq > last)]).toEqual([[1, 2], true])
    })
    wakes.resolve()
    await hasPurged.promise
    await checked
    expect(numbersIn(await stored(one))).toEqual([1, 2])
    await other.kit.stop()
  },
)

test('a stream whose newest message was erased is not damaged', async () => {
  for (const n of [1, 2]) await one.bus.js.publish('consent.told.a', JSON.stringify([{ event: { kind: 'a', n } }]))
  await eraseMessage(one.bus, 'consent', 2)
  await createStreamWatch(one.kit, one.db, one.bus, options).ensureChecked()
  await env.kill('nats')
  await env.restart('nats')
  await eventually(() => one.bus.jsm.streams.info('CONSENT'))
  await createStreamWatch(one.kit, one.db, one.bus, options).ensureChecked()
  expect(notices()).toEqual([])
  await inStream([1])
})
