import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { AckPolicy, DeliverPolicy, RetentionPolicy } from '@nats-io/jetstream'
import { subjectFilter } from '@notify/contracts'
import { eventually, startFaultProxy, TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { hear, newId, type Process, send, sendOnce, startProcess, topic } from '@notify/test-kit/topic'
import { type Bus, connectBus } from '../src/connect.ts'
import { DurablePosition } from '../src/durable-position.ts'
import { readNatsLogin } from '../src/nats-login.ts'
import { openBus } from '../src/open-bus.ts'
import { MissingDurableError, provisionConsumer, provisionStream } from '../src/provision.ts'
import { publish } from '../src/publish.ts'

let env: TestEnv
let one: Process

beforeAll(async () => {
  env = await TestEnv.start([])
})
afterAll(() => env.stop())
beforeEach(async () => {
  one = await startProcess(env)
})
afterEach(() => one.kit.stop())

const settings = (durable: string, filter: string) => ({
  publisher: 'consent' as const,
  durable,
  filter,
  ackWaitMs: 15_000,
  maxAckPending: 1000,
  unsyncedMs: 300_000,
})

test('the stream of a service keeps events for a time, whether or not they were acknowledged', async () => {
  const { config } = await provisionStream(one.bus, 'consent', 1)
  expect(config).toMatchObject({ name: 'CONSENT', subjects: ['consent.>'], retention: RetentionPolicy.Limits })
  expect(config.max_age).toBeGreaterThan(0)
})

test('several processes may create the same stream at the same moment', async () => {
  await one.bus.jsm.streams.delete('CONSENT')
  const streams = await Promise.all(Array.from({ length: 8 }, () => provisionStream(one.bus, 'consent', 1)))
  expect(new Set(streams.map(({ created }) => created)).size).toBe(1)
})

test('a bus whose stream the server can never create is refused at once', async () => {
  const kit = createTestKit('otp')
  const opening = openBus(kit, { NATS_URL: env.stack.natsUrl, STREAM_REPLICAS: 3 })
  await expect(opening).rejects.toThrow(/NATS refuses the stream of otp: .*replicas/)
  await kit.stop()
})

test('a stream with other settings is updated, and keeps its messages', async () => {
  const own = topic()
  await send(one, own, [1])
  await one.bus.jsm.streams.update('CONSENT', { max_age: 60_000_000_000, duplicate_window: 1_000_000_000 })
  const { config, state } = await provisionStream(one.bus, 'consent', 1)
  expect(config.max_age).toBeGreaterThan(60_000_000_000)
  expect(state.messages).toBeGreaterThan(0)
})

test('every replica may create the same durable at every start', async () => {
  const wanted = settings(`consent-${newId()}`, 'consent.a')
  await Promise.all(Array.from({ length: 8 }, () => provisionConsumer(one.bus, wanted)))
  const { config } = await one.bus.jsm.consumers.info('CONSENT', wanted.durable)
  expect(config).toMatchObject({ filter_subject: 'consent.a', deliver_policy: DeliverPolicy.All, max_deliver: -1 })
})

/** A durable that the next check recreates, to start at its position. */
const addWithStartTime = ({ durable, filter }: ReturnType<typeof settings>, startedAt: Date) =>
  one.bus.jsm.consumers.add('CONSENT', {
    durable_name: durable,
    description: 'the check before',
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartTime,
    opt_start_time: startedAt.toISOString(),
  })

test('a durable created with a start time keeps its position through repeated checks', async () => {
  const own = topic()
  const startedAt = new Date()
  await send(one, own, [1, 2, 3])
  const wanted = settings(`consent-${newId()}`, subjectFilter(own.event, {}))
  await addWithStartTime(wanted, startedAt)
  for (let check = 1; check <= 3; check++) expect(await provisionConsumer(one.bus, wanted)).toBe('kept')
  const { num_pending, config } = await one.bus.jsm.consumers.info('CONSENT', wanted.durable)
  expect(config.deliver_policy).toBe(DeliverPolicy.StartSequence)
  expect(num_pending).toBeGreaterThan(0)
})

/** A bus on which something happens between the deletion of a durable and the answer to it. */
function whileDeleting({ bus }: Process, work: () => Promise<void>): Bus {
  const remove = async (stream: string, durable: string) => {
    const isDeleted = await bus.jsm.consumers.delete(stream, durable)
    await work()
    return isDeleted
  }
  const consumers = Object.create(bus.jsm.consumers, { delete: { value: remove } })
  return { ...bus, jsm: Object.create(bus.jsm, { consumers: { value: consumers } }) }
}

test('a durable that another process is recreating is not created at the first message meanwhile; a lost one is', async () => {
  const wanted = settings(`consent-${newId()}`, subjectFilter(topic().event, {}))
  const policy = async () => (await one.bus.jsm.consumers.info('CONSENT', wanted.durable)).config.deliver_policy
  const position = new DurablePosition(one.bus, { ...wanted, onMended() {} })
  await position.provision()
  await one.bus.jsm.consumers.delete('CONSENT', wanted.durable)
  await addWithStartTime(wanted, new Date())
  const missed: unknown[] = []
  const recreating = whileDeleting(one, async () => {
    await position.provision().catch((error: unknown) => missed.push(error))
  })
  await provisionConsumer(recreating, wanted)
  expect(missed).toEqual([expect.any(MissingDurableError)])
  expect(await policy()).toBe(DeliverPolicy.StartSequence)
  await position.provision()
  expect(await policy()).toBe(DeliverPolicy.StartSequence)
  await one.bus.jsm.consumers.delete('CONSENT', wanted.durable)
  await eventually(() => position.provision())
  expect(await policy()).toBe(DeliverPolicy.All)
})

test('a durable with other limits is updated, and keeps its position', async () => {
  const own = topic()
  const { handled, durable } = hear(one, own)
  await send(one, own, [1])
  await eventually(() => expect(handled).toEqual([1]))
  await provisionConsumer(one.bus, {
    ...settings(durable, `consent.${own.name}.*`),
    ackWaitMs: 20_000,
    maxAckPending: 7,
  })
  const { config, delivered } = await one.bus.jsm.consumers.info('CONSENT', durable)
  expect(config).toMatchObject({ ack_wait: 20_000_000_000, max_ack_pending: 7 })
  expect(delivered.consumer_seq).toBe(1)
})

test('a durable with another filter is refused and stays unchanged: it would receive the wrong messages', async () => {
  const wanted = settings(`consent-${newId()}`, 'consent.a')
  await provisionConsumer(one.bus, wanted)
  await expect(provisionConsumer(one.bus, { ...wanted, filter: 'consent.b' })).rejects.toThrow(
    `the durable ${wanted.durable} has the filter consent.a, not consent.b`,
  )
  const { config } = await one.bus.jsm.consumers.info('CONSENT', wanted.durable)
  expect(config.filter_subject).toBe('consent.a')
})

test('a durable of a missing stream is refused: its owner creates the stream', async () => {
  const wanted = { ...settings(`consent-${newId()}`, 'otp.sent'), publisher: 'otp' as const }
  await expect(provisionConsumer(one.bus, wanted)).rejects.toThrow(/stream not found/)
})

test('a durable that answers no pull request is recreated, and misses nothing', async () => {
  const own = topic()
  const proxy = await startFaultProxy(() => env.stack.natsUrl)
  // The status of a pull request that the server refuses.
  proxy.dropResponsesWith('NATS/1.0 400')
  const apart = await startProcess(env, proxy.via(env.stack.natsUrl))
  await send(one, own, [1])
  const { durable, handled } = hear(apart, own)
  const info = () => one.bus.jsm.consumers.info('CONSENT', durable)
  const { created } = await eventually(info)
  await eventually(async () => expect((await info()).created).not.toBe(created))
  expect(handled).toEqual([])
  proxy.dropResponsesWith()
  await eventually(() => expect(handled).toEqual([1]))
  // A durable that has delivered is kept, even if responses are lost.
  const { created: last } = await info()
  proxy.dropResponsesWith('NATS/1.0 400')
  expect(await provisionConsumer(apart.bus, settings(durable, subjectFilter(own.event, {})))).toBe('kept')
  expect((await info()).created).toBe(last)
  await apart.kit.stop()
  await proxy.stop()
})

test('a consumer whose requests are not answered logs a warning', async () => {
  const own = topic()
  const proxy = await startFaultProxy(() => env.stack.natsUrl)
  const apart = await startProcess(env, proxy.via(env.stack.natsUrl))
  const { handled, durable } = hear(apart, own)
  await send(one, own, [1])
  await eventually(() => expect(handled).toEqual([1]))
  // Heartbeats and the ends of requests.
  proxy.dropResponsesWith('NATS/1.0 ')
  const warnings = () => apart.kit.lines.filter(({ msg }) => /receives nothing/.test(String(msg)))
  await eventually(() => expect(warnings()).toMatchObject([{ level: 40, durable }]))
  proxy.dropResponsesWith()
  await send(one, own, [2])
  await eventually(() => expect(handled).toEqual([1, 2]))
  await apart.kit.stop()
  await proxy.stop()
})

test('a consumer that starts before the owner of its stream receives it from the first message', async () => {
  const own = topic()
  await one.bus.jsm.streams.delete('CONSENT')
  const { handled } = hear(one, own)
  await provisionStream(one.bus, 'consent', 1)
  await send(one, own, [1])
  await eventually(() => expect(handled).toEqual([1]))
})

test('messages of a deleted and recreated stream are received again', async () => {
  const own = topic()
  const { handled } = hear(one, own)
  await send(one, own, [1])
  await eventually(() => expect(handled).toEqual([1]))
  await one.bus.jsm.streams.delete('CONSENT')
  await provisionStream(one.bus, 'consent', 1)
  await send(one, own, [2])
  await eventually(() => expect(handled).toEqual([1, 2]))
})

test('publishing to a subject without a stream fails', async () => {
  await expect(publish(one.bus, { id: newId(), subject: 'nobody.listens', events: '[]' })).rejects.toThrow()
})

test('a message republished after a loss has a new position and its old identity', async () => {
  const own = topic()
  const id = newId()
  const ids: string[] = []
  hear(one, own, { handle: (_n, { eventId }) => void ids.push(eventId) })
  const events = JSON.stringify([{ event: { kind: 'a', n: 1 } }])
  const first = await publish(one.bus, { id, subject: own.subject, events })
  const second = await publish(one.bus, { id, subject: own.subject, events }, `${id}:1`)
  expect(second).toBeGreaterThan(first)
  await eventually(() => expect(ids).toEqual([`${id}:0`, `${id}:0`]))
})

test('while NATS is down a process is not ready and publishing fails soon; afterwards everything resumes', async () => {
  const own = topic()
  const { handled } = hear(one, own)
  const { health } = one.kit
  health.setReady(true)
  expect(await health.failures()).toEqual([])
  await env.kill('nats')
  await eventually(async () => expect(await health.failures()).toEqual(['nats']))
  const started = performance.now()
  await expect(sendOnce(one, own, [1])).rejects.toThrow()
  expect(performance.now() - started).toBeLessThan(10_000)
  await env.restart('nats')
  await eventually(async () => expect(await health.failures()).toEqual([]))
  await send(one, own, [2])
  await eventually(() => expect(handled).toContain(2))
})

test('a process that does not require NATS stays ready without it', async () => {
  const kit = createTestKit('gateway')
  await connectBus(kit, { login: readNatsLogin({ NATS_URL: env.stack.natsUrl }), requiredForReady: false })
  kit.health.setReady(true)
  expect(await kit.health.failures()).toEqual([])
  await kit.stop()
})
