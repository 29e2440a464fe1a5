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

interface DurableSettings {
  publisher: ServiceName
  durable: string
  filter: string
  ackWaitMs: number
  maxAckPending: number
}

/**
 * Makes a durable, or brings its limits up to date.
 * @throws Error when there is one of this name with another filter: it would hear the wrong messages
 */
export async function provisionConsumer(
  bus: Bus,
  { publisher, durable, filter, ackWaitMs, maxAckPending }: DurableSettings,
): Promise<void> {
  const { consumers } = bus.jsm
  const { name } = streams[publisher]
  const limits = { ack_wait: nanos(ackWaitMs), max_ack_pending: maxAckPending, max_deliver: -1 }
  // Asked first: nats-server 2.9 silently replaces the filter of a durable that is added again, later ones refuse to add it.
  const known = await findConsumer(bus, publisher, durable)
  if (known) {
    requireFilter(known, filter)
    await consumers.update(name, durable, limits)
    return
  }
  const made = await consumers.add(name, {
    durable_name: durable,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ...limits,
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
