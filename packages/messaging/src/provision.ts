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
import { findNewStart, type Mend, markOf, readMark, type SeenMessage, type Start } from './mend-consumer.ts'
import { readPosition } from './read-position.ts'

const day = 24 * 60 * 60 * 1000
const nanos = (ms: number) => ms * 1_000_000
const streamNameInUse = 10058
const replicasNotSupported = 10074

/** Called after each failed attempt, the first is 1; the attempts end when it throws. */
type OnFailure = (error: unknown, attempt: number) => void

const endAfterSeconds: OnFailure = (error, attempt) => {
  if (attempt >= 40) throw error
}

/**
 * Creates the stream of a service, or updates it if the user has the permission. Services lack it, because an update could
 * make a stream copy another one; `provisionStreams` updates. Retention is by limits, never a work queue, whose acknowledged
 * messages nats-server 2.9 redelivers after a kill.
 * @param onFailure by default 40 attempts are made, in ten seconds or more
 */
export async function provisionStream(
  bus: Bus,
  service: ServiceName,
  replicas: number,
  onFailure: OnFailure = endAfterSeconds,
): Promise<StreamInfo> {
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
        // The connection logs the refusal. The unchanged stream works; events that need new settings wait in the outbox.
        if (isForbidden(error)) return found
        throw error
      })
    } catch (error) {
      // Another replica has created it, or NATS is busy: tries again.
      onFailure(error, attempt)
      if (attempt > 1 || !isCode(error, streamNameInUse)) await delay(250)
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
  /** The durable existed a moment ago: if it is missing, another process may be recreating it. */
  isExpected?: boolean
}

/** A durable is missing that existed a moment ago. */
export class MissingDurableError extends Error {
  override name = 'MissingDurableError'

  constructor(durable: string) {
    super(`the durable ${durable} is missing: another process may be recreating it`)
  }
}

/** `made`: created, or recreated because it did not answer. */
export type Provisioned = 'made' | 'kept' | Mend['cause']

/**
 * Creates a durable or updates its limits. Recreates it if its stream lost delivered messages, if the server reports an
 * impossible position, or if it does not answer.
 * @throws MissingDurableError when an expected one does not exist
 * @throws Error when a durable of this name has another filter, so that it would receive other messages, or when it does not
 * answer
 */
export async function provisionConsumer(bus: Bus, settings: DurableSettings): Promise<Provisioned> {
  const { publisher, durable, filter, seen, unsyncedMs, isExpected } = settings
  const { name } = streams[publisher]
  // Checked first: nats-server 2.9 silently replaces the filter of an existing durable, later versions refuse.
  const known = await findConsumer(bus, publisher, durable)
  // Created here at the first message, it would take the name from one that continues after those already handled.
  if (!known && isExpected) throw new MissingDurableError(durable)
  const stream = await bus.jsm.streams.info(name)
  const mark = readMark(known?.config.description)
  const describe = (floor?: number) => markOf(bus, stream, mark, floor)
  if (!known) return makeConsumer(bus, settings, stream, describe())
  requireFilter(known, filter)
  const mend = await findNewStart(bus, { stream, durable: known, seen, unsyncedMs })
  if (mend) {
    const { start, cause } = mend
    await recreate(bus, settings, describe(start.opt_start_seq && start.opt_start_seq - 1), start)
    return cause
  }
  const { floor } = readPosition(known)!
  const start = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: floor + 1 }
  if (!hasDelivered(known) && !(await isAnswering(bus, name, durable))) {
    await recreate(bus, settings, describe(floor), start)
    return 'made'
  }
  // nats-server 2.9 refuses every update of a durable that was created with a start time: "start time can not be updated".
  if (known.config.deliver_policy === DeliverPolicy.StartTime) await recreate(bus, settings, describe(floor), start)
  else await bus.jsm.consumers.update(name, durable, { ...limitsOf(settings), description: describe(floor) })
  return 'kept'
}

/** A server that has lost a durable's configuration may still have its state, and continue from an impossible position. */
async function makeConsumer(
  bus: Bus,
  settings: DurableSettings,
  stream: StreamInfo,
  description: string,
): Promise<Provisioned> {
  const start = { deliver_policy: DeliverPolicy.All }
  const position = readPosition(await addConsumer(bus, settings, description, start))
  if (position && position.delivered <= stream.state.last_seq) return 'made'
  await recreate(bus, settings, description, start)
  return 'position_unknown'
}

async function recreate(bus: Bus, settings: DurableSettings, description: string, start: Start): Promise<void> {
  const { publisher, durable } = settings
  await bus.jsm.consumers.delete(streams[publisher].name, durable)
  await addConsumer(bus, settings, description, start)
}

function limitsOf({ ackWaitMs, maxAckPending }: DurableSettings) {
  return { ack_wait: nanos(ackWaitMs), max_ack_pending: maxAckPending, max_deliver: -1 }
}

async function addConsumer(
  bus: Bus,
  settings: DurableSettings,
  description: string,
  start: Start,
): Promise<ConsumerInfo> {
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
  // The caller tries again, finds the durable and recreates it.
  if (!(await isAnswering(bus, name, durable))) throw new Error(`the durable ${durable} does not answer`)
  return made
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

function isForbidden(error: unknown): boolean {
  return (error as Error).cause instanceof PermissionViolationError
}

/** Whether a stream cannot be created until somebody changes the configuration of NATS or of the process. */
export function isMisconfigured(error: unknown): boolean {
  return isForbidden(error) || isCode(error, replicasNotSupported)
}

/** Whether JetStream returned this error code. */
export function isCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code
}
