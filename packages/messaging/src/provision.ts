import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  AckPolicy,
  type ConsumerInfo,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { PermissionViolationError } from '@nats-io/transport-node'
import { type ServiceName, streams } from '@notify/contracts'
import type { Bus } from './connect.ts'
import { findNewStart, markOf, readMark, type SeenMessage, type Start } from './mend-consumer.ts'

const day = 24 * 60 * 60 * 1000
const nanos = (ms: number) => ms * 1_000_000
const streamNameInUse = 10058

/**
 * Makes the stream that a service owns. One that is there is brought up to date when the user may do that: a service may not,
 * or it could let its stream copy another's; `provisionStreams` does it. Limits retention, never work-queue: after a
 * kill, nats-server 2.9 redelivers acknowledged messages of a work queue.
 */
export async function provisionStream(bus: Bus, service: ServiceName, replicas: number): Promise<StreamInfo> {
  const { name, subjects } = streams[service]
  const settings = {
    subjects: [...subjects],
    max_age: nanos(3 * day),
    duplicate_window: nanos(2 * 60 * 1000),
    discard: DiscardPolicy.Old,
    num_replicas: replicas,
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await findStream(bus, name)
      if (!found) return await bus.jsm.streams.add({ name, ...fixed, ...settings })
      if (hasSettings(found.config, settings)) return found
      return await bus.jsm.streams.update(name, settings).catch((error: unknown) => {
        // Logged by the connection. The stream works as it is; what its settings lack waits in the outbox.
        if ((error as Error).cause instanceof PermissionViolationError) return found
        throw error
      })
    } catch (error) {
      // Another replica was faster, or NATS is busy: the next round finds out.
      if (attempt >= 40) throw error
      if (!isCode(error, streamNameInUse)) await delay(250)
    }
  }
}

const fixed = { retention: RetentionPolicy.Limits, storage: StorageType.File }

async function findStream(bus: Bus, name: string): Promise<StreamInfo | undefined> {
  try {
    return await bus.jsm.streams.info(name)
  } catch (error) {
    if (isCode(error, JetStreamApiCodes.StreamNotFound)) return undefined
    throw error
  }
}

function hasSettings(config: Partial<StreamConfig>, wanted: Partial<StreamConfig>): boolean {
  return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(config[name as keyof StreamConfig], value))
}

export interface DurableSettings {
  publisher: ServiceName
  durable: string
  filter: string
  ackWaitMs: number
  maxAckPending: number
  unsyncedMs: number
  /** The newest message of the durable that this process was given. */
  seen?: SeenMessage | undefined
}

/** `mended`: the durable's place contradicted its stream, so it was made again. */
export type Provisioned = 'made' | 'kept' | 'mended'

/**
 * Makes a durable, or brings its limits up to date; one whose stream has lost what it had delivered is made again.
 * @throws Error when there is one of this name with another filter: it would hear the wrong messages
 */
export async function provisionConsumer(bus: Bus, settings: DurableSettings): Promise<Provisioned> {
  const { publisher, durable, filter, seen, unsyncedMs } = settings
  const { name } = streams[publisher]
  // Asked first: nats-server 2.9 silently replaces the filter of a durable that is added again, later ones refuse to add it.
  const known = await findConsumer(bus, publisher, durable)
  const stream = await bus.jsm.streams.info(name)
  const mark = markOf(bus, stream, readMark(known?.config.description))
  if (!known) {
    await addConsumer(bus, settings, mark, { deliver_policy: DeliverPolicy.All })
    return 'made'
  }
  requireFilter(known, filter)
  const start = await findNewStart(bus, { stream, durable: known, seen, unsyncedMs })
  if (start) {
    await bus.jsm.consumers.delete(name, durable)
    await addConsumer(bus, settings, mark, start)
    return 'mended'
  }
  await bus.jsm.consumers.update(name, durable, { ...limitsOf(settings), description: mark })
  return 'kept'
}

function limitsOf({ ackWaitMs, maxAckPending }: DurableSettings) {
  return { ack_wait: nanos(ackWaitMs), max_ack_pending: maxAckPending, max_deliver: -1 }
}

async function addConsumer(bus: Bus, settings: DurableSettings, description: string, start: Start): Promise<void> {
  const { publisher, durable, filter } = settings
  const made = await bus.jsm.consumers.add(streams[publisher].name, {
    durable_name: durable,
    description,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    ...start,
    ...limitsOf(settings),
  })
  requireFilter(made, filter)
}

/** What JetStream knows of a durable; `undefined` when there is none yet. */
export async function findConsumer(
  bus: Bus,
  publisher: ServiceName,
  durable: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await bus.jsm.consumers.info(streams[publisher].name, durable)
  } catch (error) {
    if (isCode(error, JetStreamApiCodes.ConsumerNotFound)) return undefined
    throw error
  }
}

function requireFilter({ name, config }: ConsumerInfo, filter: string): void {
  if (config.filter_subject === filter) return
  throw new Error(`the durable ${name} listens to ${config.filter_subject}, not to ${filter}`)
}

/** Whether JetStream answered with this error code. */
export function isCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}
