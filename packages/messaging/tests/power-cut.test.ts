import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, type NatsSnapshot, snapshotNats, TestEnv } from '@notify/dev-env'
import { hear, type Process, send, startProcess, type Topic, topic } from '@notify/test-kit/topic'

let env: TestEnv
let one: Process
let own: Topic

beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())
beforeEach(async () => {
  one = await startProcess(env)
  own = topic()
})
afterEach(() => one.kit.stop())

const mended = ({ kit }: Process, durable: string) =>
  kit.counted('consumer_events_total', { durable, result: 'mended' })

const settled = (process: Process, durable: string) =>
  eventually(async () => {
    const { num_pending, num_ack_pending } = await process.bus.jsm.consumers.info('CONSENT', durable)
    expect({ num_pending, num_ack_pending }).toEqual({ num_pending: 0, num_ack_pending: 0 })
  })

const consumersFolder = () =>
  join(env.stack.dataDir, 'nats', 'jetstream', 'jetstream', '$G', 'streams', 'CONSENT', 'obs')

/** Waits until nats-server has written the position, some time after an acknowledgement: a stop meanwhile leaves an empty file. */
async function untilWritten(durable: string): Promise<void> {
  let last = ''
  await eventually(
    () => {
      const before = last
      last = readFileSync(join(consumersFolder(), durable, 'o.dat')).toString('hex')
      expect([last, last.length > 0]).toEqual([before, true])
    },
    { intervalMs: 1000 },
  )
}

/** A snapshot of the store after the first of three handled messages. */
async function handledThree(handled: readonly number[], durable: string): Promise<NatsSnapshot> {
  await send(one, own, [1])
  await eventually(() => expect(handled).toEqual([1]))
  await settled(one, durable)
  const snapshot = await snapshotNats(env)
  await send(one, own, [2])
  await send(one, own, [3])
  await eventually(() => expect(handled).toEqual([1, 2, 3]))
  await settled(one, durable)
  await untilWritten(durable)
  return snapshot
}

test('a durable that is ahead of its stream receives the new messages that reuse its sequences', async () => {
  const { durable, handled } = hear(one, own)
  const snapshot = await handledThree(handled, durable)
  await snapshot.putBack(true)
  for (const n of [12, 13, 14]) await send(one, own, [n])
  await eventually(() => expect(new Set(handled)).toEqual(new Set([1, 2, 3, 12, 13, 14])))
  expect(mended(one, durable)).toBe(1)
})

test('so does a durable whose service was down at the power cut, even if others have published more since', async () => {
  const { durable, handled } = hear(one, own)
  const snapshot = await handledThree(handled, durable)
  await one.kit.stop()
  await snapshot.putBack(true)
  one = await startProcess(env)
  for (const n of [12, 13, 14, 15]) await send(one, own, [n])
  const again = hear(one, own)
  await eventually(() => expect(new Set(again.handled)).toEqual(new Set([1, 12, 13, 14, 15])))
  expect(mended(one, durable)).toBe(1)
})

test('a durable with a correct position is kept at a restart: nothing is redelivered', async () => {
  const { durable, handled } = hear(one, own)
  await handledThree(handled, durable)
  await env.kill('nats', 'SIGTERM')
  await env.restart('nats')
  await send(one, own, [4])
  await eventually(() => expect(handled).toContain(4))
  const unknown = one.kit.counted('consumer_events_total', { durable, result: 'position_unknown' })
  expect({ handled, mended: mended(one, durable), unknown }).toEqual({ handled: [1, 2, 3, 4], mended: 0, unknown: 0 })
})

test('a message received before a restart is not acknowledged after it, because another one may have its sequence', async () => {
  const taken = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  await send(one, own, [0])
  const { durable, handled } = hear(one, own, {
    handle: async (n) => {
      if (n !== 2) return
      taken.resolve()
      await mayEnd.promise
    },
  })
  await eventually(() => expect(handled).toEqual([0]))
  await settled(one, durable)
  const snapshot = await snapshotNats(env)
  await send(one, own, [2])
  await taken.promise
  await snapshot.putBack(true)
  await send(one, own, [12])
  mayEnd.resolve()
  await eventually(() => expect(handled).toContain(12))
})

test('a message of another subject is skipped: not handled, not dead, and received by the durable it is for', async () => {
  const { durable, handled, letters } = hear(one, own)
  await send(one, own, [1])
  await eventually(() => expect(handled).toEqual([1]))
  const other = topic()
  // nats-server silently changes the filter: as after a loss, it delivers messages outside the durable's own filter.
  const { config } = await one.bus.jsm.consumers.info('CONSENT', durable)
  await one.bus.jsm.consumers.add('CONSENT', { ...config, filter_subject: `consent.${other.name}.*` })
  await send(one, other, ['not even one of ours'])
  await eventually(() => expect(one.kit.counted('consumer_events_total', { durable, result: 'foreign' })).toBe(1))
  await settled(one, durable)
  const right = hear(one, other)
  await eventually(() => expect(right.letters).toHaveLength(1))
  expect([handled, letters]).toEqual([[1], []])
})

/** What a power cut leaves of a file that was not synced. */
const remains: Record<string, (bytes: Buffer) => Buffer> = {
  nothing: () => Buffer.alloc(0),
  half: (bytes) => bytes.subarray(0, bytes.length / 2),
  'its first byte': (bytes) => bytes.subarray(0, 1),
  zeros: (bytes) => Buffer.alloc(bytes.length),
  'its head and zeros': (bytes) => Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(bytes.length - 2)]),
  'other bytes': (bytes) => Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(bytes.length - 2, 0xff)]),
}

test('a durable whose files nats-server cannot read misses nothing, and reports that its position was unknown', async () => {
  const folder = consumersFolder()
  const handled = Object.entries(remains).flatMap(([kind, of]) =>
    [['o.dat'], ['meta.inf'], ['o.dat', 'meta.inf']].map((files) => {
      const subject = topic()
      return { subject, kind, of, files, ...hear(one, subject, { ackWait: '2s' }) }
    }),
  )
  for (const { subject } of handled) for (const n of [1, 2]) await send(one, subject, [n])
  for (const each of handled) {
    await eventually(() => expect(new Set(each.handled)).toEqual(new Set([1, 2])))
    await settled(one, each.durable)
    await untilWritten(each.durable)
  }
  await env.kill('nats')
  for (const { durable, of, files } of handled)
    for (const file of files) {
      const path = join(folder, durable, file)
      writeFileSync(path, of(readFileSync(path)))
    }
  await env.restart('nats')
  for (const { subject } of handled) await send(one, subject, [3])
  for (const each of handled) {
    await eventually(() => expect(each.handled).toContain(3))
    await settled(one, each.durable)
  }
  const unknown = handled.filter(
    ({ durable }) => one.kit.counted('consumer_events_total', { durable, result: 'position_unknown' }) > 0,
  )
  expect(unknown.map(({ kind, files }) => `${files}: ${kind}`)).toEqual(
    expect.arrayContaining(['o.dat: half', 'o.dat: zeros', 'o.dat: other bytes', 'o.dat,meta.inf: half']),
  )
  const lines = one.kit.lines.filter(({ msg }) => /impossible position/.test(String(msg)))
  expect(lines.map(({ durable }) => durable).toSorted()).toEqual(unknown.map(({ durable }) => durable).toSorted())
})
