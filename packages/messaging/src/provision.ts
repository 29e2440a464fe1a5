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
import { hasDelivered, isAnswering } from './is-answering.ts'
import { findNewStart, markOf, readMark, type SeenMessage, type Start } from './mend-consumer.ts'

const day = 24 * 60 * 60 * 1000
const nanos = (ms: number) => ms * 1_000_000
const streamNameInUse = 10058

/**
 * Creates the stream of a service, or updates it if the user may: services may not, because an update could make a
 * stream copy another's; `provisionStreams` does it. Retention is by limits, never a work queue: after a kill,
 * nats-server 2.9 redelivers acknowledged messages of a work queue.
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
        // The connection logs it. The stream works unchanged; events that need new settings wait in the outbox.
        if ((error as Error).cause instanceof PermissionViolationError) return found
        throw error
      })
    } catch (error) {
      // Another replica was faster, or NATS is busy; the next round will tell.
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
  /** The newest message of the durable that this process received. */
  seen?: SeenMessage | undefined
}

/** `made`: also one that existed, but did not answer. `mended`: its position contradicted its stream, so it was recreated. */
export type Provisioned = 'made' | 'kept' | 'mended'

/**
 * Creates a durable or updates its limits. Recreates it if its stream lost delivered messages, or if it does not answer.
 * @throws Error when one of this name has another filter and would receive the wrong messages, or when it does not answer
 */
export async function provisionConsumer(bus: Bus, settings: DurableSettings): Promise<Provisioned> {
  const { publisher, durable, filter, seen, unsyncedMs } = settings
  const { name } = streams[publisher]
  // Checked first: nats-server 2.9 silently replaces the filter of an existing durable, later versions refuse.
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
  if (!hasDelivered(known) && !(await isAnswering(bus, name, durable))) {
    await startBySequence(bus, settings, known, mark)
    return 'made'
  }
  if (known.config.deliver_policy === DeliverPolicy.StartTime) await startBySequence(bus, settings, known, mark)
  else await bus.jsm.consumers.update(name, durable, { ...limitsOf(settings), description: mark })
  return 'kept'
}

/**
 * Recreates a durable at its position. nats-server 2.9 refuses every update of one that was made with a start time:
 * "start time can not be updated".
 */
async function startBySequence(bus: Bus, settings: DurableSettings, known: ConsumerInfo, mark: string): Promise<void> {
  await bus.jsm.consumers.delete(known.stream_name, known.name)
  await addConsumer(bus, settings, mark, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: known.ack_floor.stream_seq + 1,
  })
}

function limitsOf({ ackWaitMs, maxAckPending }: DurableSettings) {
  return { ack_wait: nanos(ackWaitMs), max_ack_pending: maxAckPending, max_deliver: -1 }
}

async function addConsumer(bus: Bus, settings: DurableSettings, description: string, start: Start): Promise<void> {
  const { publisher, durable, filter } = settings
  const { name } = streams[publisher]
  const made = await bus.jsm.consumers.add(name, {
    durable_name: durable,
    description,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    ...start,
    ...limitsOf(settings),
  })
  requireFilter(made, filter)
  // Repeated by the caller, which finds the durable and recreates it.
  if (!(await isAnswering(bus, name, durable))) throw new Error(`the durable ${durable} does not answer`)
}

/** The state of a durable; `undefined` if there is none. */
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
  throw new Error(`the durable ${name} has the filter ${config.filter_subject}, not ${filter}`)
}

/** Whether JetStream returned this error code. */
export function isCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}
