import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ServiceName, serviceNames, streams, wakeSubject } from '@notify/contracts'
import { environmentOf, eventually, machineEnvironment, patienceMs, TestEnv } from '@notify/dev-env'
import { type Bus, provisionConsumer, provisionStream } from '@notify/messaging'
import { openBus } from '@notify/test-kit/bus'
import { durablesOf, publishedBy } from '../../scripts/nats-permissions.ts'
import { consumersOf } from '../../scripts/service-declarations.ts'

let env: TestEnv
const buses = new Map<ServiceName, Bus & AsyncDisposable>()
const busOf = (service: ServiceName) => buses.get(service)!

beforeAll(async () => {
  env = await TestEnv.start([])
  for (const service of serviceNames) {
    buses.set(service, await openBus(env, service))
    await provisionStream(busOf(service), service, 1)
  }
})
afterAll(async () => {
  await Promise.all([...buses.values()].map((bus) => bus[Symbol.asyncDispose]()))
  await env.stop()
})

const denied = /permissions violation/i
/** A subject that the pattern covers. */
const sampleOf = (pattern: string) => pattern.replaceAll('*', 'sample')
const publish = (service: ServiceName, subject: string) => busOf(service).js.publish(subject, '[]')
/** A request that the client of JetStream would not make. The timeout is for a busy machine. */
const ask = (service: ServiceName, name: string, body?: object) =>
  busOf(service).connection.request(`$JS.API.${name}`, body && JSON.stringify(body), { timeout: 10_000 })
const settings = { ackWaitMs: 15_000, maxAckPending: 1000, unsyncedMs: 300_000 }

test.each(serviceNames)('%s may read its stream, and publishes the events that it declares', async (service) => {
  await provisionStream(busOf(service), service, 1)
  for (const pattern of publishedBy(service)) {
    expect(await publish(service, sampleOf(pattern))).toMatchObject({ stream: streams[service].name })
  }
})

test.each(serviceNames)(
  '%s creates the durables that it declares, and fetches and acknowledges their messages',
  async (service) => {
    const bus = busOf(service)
    const publishers = new Map(
      (await consumersOf(service)).map(({ publisher }) => [streams[publisher].name as string, publisher]),
    )
    for (const { stream, name: durable, filter } of await durablesOf(service)) {
      const publisher = publishers.get(stream)!
      await provisionConsumer(bus, { publisher, durable, filter, ...settings })
      await provisionConsumer(bus, { publisher, durable, filter, ...settings })
      await publish(publisher, sampleOf(filter))
      const consumer = await bus.js.consumers.get(stream, durable)
      const message = await consumer.next({ expires: 5000 })
      expect(await message?.ackAck()).toBe(true)
    }
  },
)

test.each(serviceNames)('%s wakes its own relay', async (service) => {
  const { connection } = busOf(service)
  let woken = 0
  const subscription = connection.subscribe(wakeSubject(service), { callback: () => void woken++ })
  connection.publish(wakeSubject(service))
  await eventually(() => expect(woken).toBe(1))
  subscription.unsubscribe()
})

test.each(serviceNames)(
  '%s cannot publish events of another service, nor events that it does not declare',
  async (service) => {
    for (const other of serviceNames.filter((name) => name !== service)) {
      for (const pattern of publishedBy(other)) {
        await expect(publish(service, sampleOf(pattern))).rejects.toThrow(denied)
      }
      await expect(publish(service, wakeSubject(other))).rejects.toThrow(denied)
    }
    await expect(publish(service, `${streams[service].subjects[0].split('.')[0]}.undeclared`)).rejects.toThrow(denied)
  },
)

test.each(serviceNames)(
  '%s cannot subscribe to a subject directly: no fact, no request, no answer to another service',
  async (service) => {
    const { connection } = busOf(service)
    const others = serviceNames.filter((name) => name !== service)
    const subjects = ['>', '_INBOX.>', '$JS.>', '$SYS.>', ...others.map((other) => `_INBOX.${other}.>`)]
    for (const subject of [...subjects, ...serviceNames.flatMap(publishedBy)]) {
      const refusal = Promise.withResolvers<Error | null>()
      connection.subscribe(subject, { callback: (error) => refusal.resolve(error) })
      expect(await refusal.promise).toMatchObject({ message: expect.stringMatching(denied) })
    }
  },
)

test.each(serviceNames)('%s can create only its own durables, and only with their filters', async (service) => {
  const own = await durablesOf(service)
  const foreign = (await Promise.all(serviceNames.filter((name) => name !== service).map(durablesOf))).flat()
  for (const { stream, name, filter } of foreign) {
    const make = (durable: string, filter_subject: string) =>
      busOf(service).jsm.consumers.add(stream, { durable_name: durable, filter_subject })
    await expect(make(name, filter)).rejects.toThrow(denied)
    await expect(make(`${service}-eavesdropper`, filter)).rejects.toThrow(denied)
    await expect(busOf(service).jsm.consumers.delete(stream, name)).rejects.toThrow(denied)
    await expect(ask(service, `CONSUMER.MSG.NEXT.${stream}.${name}`)).rejects.toThrow(denied)
  }
  for (const { stream, name } of own) {
    const add = (filter_subject?: string) =>
      busOf(service).jsm.consumers.add(stream, { durable_name: name, ...(filter_subject ? { filter_subject } : {}) })
    await expect(add()).rejects.toThrow(denied)
    await expect(add('>')).rejects.toThrow(denied)
    await expect(add(`${stream.toLowerCase()}.>`)).rejects.toThrow(denied)
  }
})

test.each(serviceNames)(
  "%s cannot delete or change a stream, not even its own, which could copy another; nor delete another's messages",
  async (service) => {
    const { streams: api } = busOf(service).jsm
    for (const other of serviceNames) {
      const { name } = streams[other]
      await expect(api.delete(name)).rejects.toThrow(denied)
      await expect(ask(service, `STREAM.UPDATE.${name}`, { name })).rejects.toThrow(denied)
      // `erase-recipient` deletes single messages of the service's own stream, and the relay empties it when it is damaged.
      if (name === streams[service].name) continue
      await expect(api.purge(name)).rejects.toThrow(denied)
      await expect(api.deleteMessage(name, 1)).rejects.toThrow(denied)
    }
  },
)

test('the user of consent cannot forge a receipt, nor read the credentials that dispatch publishes', async () => {
  await expect(publish('consent', 'callbacks.receipt.sms')).rejects.toThrow(denied)
  const { jsm } = busOf('consent')
  const spy = { durable_name: 'consent-spy', filter_subject: 'dispatch.provider.changed' }
  await expect(jsm.consumers.add('DISPATCH', spy)).rejects.toThrow(denied)
  await expect(jsm.consumers.add('DISPATCH', { filter_subject: 'dispatch.provider.changed' })).rejects.toThrow(denied)
  await expect(jsm.streams.getMessage('DISPATCH', { last_by_subj: 'dispatch.provider.changed' })).rejects.toThrow(
    denied,
  )
  await expect(ask('consent', 'DIRECT.GET.DISPATCH', { seq: 1 })).rejects.toThrow(denied)
})

test('a service with a wrong password fails to start, with one line that names server and user but no secret', async () => {
  const { wiring, natsUrl } = env.stack
  const { port } = new URL(natsUrl)
  const environment = { ...(await environmentOf('otp', wiring)), NATS_URL: `nats://otp:hunter2@127.0.0.1:${port}` }
  const main = join(import.meta.dirname, '../../services/otp/src/main.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [main], {
    env: { ...machineEnvironment(), ...environment },
    encoding: 'utf8',
    // One that went on would hold up the tests for ever.
    timeout: 2 * patienceMs,
  })
  const fatal = stdout.split('\n').filter((line) => line.includes('"severity":"fatal"'))
  const line = `otp cannot start: NATS at 127.0.0.1:${port} refuses the login of user otp`
  expect(fatal.map((text) => JSON.parse(text).msg)).toEqual([line])
  expect([status, `${stdout}${stderr}`.includes('hunter2')]).toEqual([1, false])
})

test('a service keeps using a stream with the settings of another release, and logs it', async () => {
  await using admin = await openBus(env)
  await admin.jsm.streams.update('OTP', { max_age: 60_000_000_000, duplicate_window: 1_000_000_000 })
  const { config } = await provisionStream(busOf('otp'), 'otp', 1)
  expect(config.max_age).toBe(60_000_000_000)
  const main = join(import.meta.dirname, '../../packages/messaging/src/provision-main.ts')
  const environment = { ...machineEnvironment(), NATS_URL: env.stack.natsUrl }
  const { stdout, stderr } = spawnSync(process.execPath, [main], { env: environment, encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['provisioned the streams of all services\n', ''])
  expect((await admin.jsm.streams.info('OTP')).config.max_age).toBeGreaterThan(60_000_000_000)
})
