import { expect } from '@jest/globals'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type ServiceName, streams } from '@notify/contracts'
import { eventually, type TestEnv } from '@notify/dev-env'
import { type Bus, connectBus, readNatsLogin } from '@notify/messaging'
import { Health, type Kit, Lifecycle, type Logger } from '@notify/service-kit'

/** JetStream may take this long on a busy machine. A request that a lost connection has swallowed ends after it. */
const timeout = 10_000

const silent = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger

/** A connection of the test's own to the bus: as the user of a service, or as one who may do everything. */
export async function openBus(env: TestEnv, service?: ServiceName): Promise<Bus & AsyncDisposable> {
  return openBusAt(service ? env.stack.wiring.serviceNatsUrl(service) : env.stack.natsUrl, service)
}

/** A connection to other servers than those of the stack. */
export async function openBusAt(url: string, service?: ServiceName): Promise<Bus & AsyncDisposable> {
  const lifecycle = new Lifecycle(silent)
  const kit = { service: service ?? 'gateway', log: silent, lifecycle, health: new Health() } as unknown as Kit
  const bus = await connectBus(kit, { login: readNatsLogin({ NATS_URL: url }), requiredForReady: false })
  return { ...(await patient(bus)), [Symbol.asyncDispose]: () => lifecycle.stop() }
}

/** The same connection, whose requests wait longer than those of the product. */
export async function patient({ connection }: Bus): Promise<Bus> {
  const jsm = await jetstreamManager(connection, { checkAPI: false, timeout })
  return { connection, js: jetstream(connection, { timeout }), jsm }
}

export interface StoredMessage {
  subject: string
  text: string
  /** The message's own identity, by which consumers know its events. */
  messageId: string
  headers: string
}

/** Everything that the services' streams hold. */
export async function storedMessages(
  bus: Bus,
  services: readonly ServiceName[] = Object.keys(streams) as ServiceName[],
) {
  const messages: StoredMessage[] = []
  for (const service of services) {
    const { name } = streams[service]
    const info = await bus.jsm.streams.info(name).catch(() => undefined)
    // An empty stream has no first message.
    for (let seq = Math.max(info?.state.first_seq ?? 1, 1); seq <= (info?.state.last_seq ?? 0); seq++) {
      const message = await bus.jsm.streams.getMessage(name, { seq })
      if (!message) continue
      const text = new TextDecoder().decode(message.data)
      const headers = [...message.header].map(([key, values]) => `${key}: ${values}`).join('\n')
      messages.push({ subject: message.subject, text, headers, messageId: message.header.get('Message-Id') })
    }
  }
  return messages
}

/** The newest sequence of each service's stream. */
export async function lastSequences(bus: Bus, services: readonly ServiceName[]): Promise<Map<ServiceName, number>> {
  const infos = services.map(async (service) => {
    const { state } = await bus.jsm.streams.info(streams[service].name)
    return [service, state.last_seq] as const
  })
  return new Map(await Promise.all(infos))
}

/** Waits until every durable has taken, and finished, all that the streams of these services hold. */
export async function untilQuiet(
  bus: Bus,
  services: readonly ServiceName[] = ['dispatch', 'callbacks'],
): Promise<void> {
  await eventually(async () => {
    for (const service of services) {
      for await (const { name, num_pending, num_ack_pending } of bus.jsm.consumers.list(streams[service].name)) {
        expect({ name, num_pending, num_ack_pending }).toEqual({ name, num_pending: 0, num_ack_pending: 0 })
      }
    }
  })
}

/** Everything that carriers reported so far has had its effect. */
export async function untilSettled(env: TestEnv, services?: readonly ServiceName[]): Promise<void> {
  await eventually(async () => {
    const { rows } = await env.admin.query('select from callbacks.outbox where published_at is null')
    expect(rows).toHaveLength(0)
  })
  await using bus = await openBus(env)
  await untilQuiet(bus, services)
}
