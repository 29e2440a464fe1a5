import type { WireEvent } from '@notify/contracts'
import { isTraceparent, type Kit, type LogFields, SpanKind, withLogFields } from '@notify/service-kit'
import type { ConsumeOptions } from './consume-options.ts'
import { type ConsumerEntry, PermanentError } from './consumer.ts'
import type { FailedTry } from './dead-letter.ts'
import { ownerOf, readPayload, UnreadableError } from './read-event.ts'

/** `repeat`: redeliver; `waiting` and `dead`: stored as a dead letter. */
export type Result = 'done' | 'repeat' | 'waiting' | 'dead'

/** An event received from its stream or from the dead letters. */
export interface Arrival {
  wire: WireEvent
  eventId: string
  subject: string
  redelivered: boolean
  /** Deadline of retries for an event that cannot be read. */
  retryUntil: Date
  /**
   * Whether a failed event moves to the dead letters, which retry it without end. Otherwise the stream would drop it at its
   * age limit.
   */
  leavesStream: boolean
  /** Logged with a failure. */
  details?: Readonly<Record<string, unknown>>
}

/** Parses an event and calls its handler. @throws what the handler throws, and UnreadableError */
export async function handleEvent<Context>(
  { tracer }: Kit,
  { event, durable, handle }: ConsumerEntry<Context>,
  context: Context,
  { wire, eventId, subject, redelivered }: Arrival,
): Promise<void> {
  if (wire.erased) return
  const parent = wire.traceparent ?? undefined
  const span = tracer.start(`consume ${durable}`, {
    parent: isTraceparent(parent) ? parent : undefined,
    kind: SpanKind.CONSUMER,
  })
  let fault: unknown
  try {
    await handle(context, readPayload(event, wire), { eventId, subject, redelivered, span })
  } catch (error) {
    fault = error
    throw error
  } finally {
    span.end(fault)
  }
}

/** Classifies an error of a handler. */
export function kindOf(error: unknown): FailedTry {
  if (error instanceof PermanentError) return 'permanent'
  return error instanceof UnreadableError ? 'unreadable' : 'failed'
}

/** Handles an event, and stores it as a dead letter if it will not be redelivered. */
export function settleEvent<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  options: ConsumeOptions<Context>,
  arrival: Arrival,
): Promise<Result> {
  return withLogFields(logFieldsOf(entry, arrival), () => settle(kit, entry, options, arrival))
}

/** The log fields of an event. */
export function logFieldsOf(
  { durable }: Pick<ConsumerEntry<never>, 'durable'>,
  { wire: { event, traceparent }, eventId }: Arrival,
): LogFields {
  const { tenant_id } = (event ?? {}) as { tenant_id?: unknown }
  return {
    durable,
    event_id: eventId,
    traceparent: isTraceparent(traceparent ?? undefined) ? traceparent : undefined,
    ...(typeof tenant_id === 'string' ? { tenant_id } : {}),
  }
}

async function settle<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  { context, deadLetters }: ConsumeOptions<Context>,
  arrival: Arrival,
): Promise<Result> {
  const { durable } = entry
  const { wire, eventId, subject, retryUntil } = arrival
  try {
    await handleEvent(kit, entry, context, arrival)
    kit.log.debug('event handled')
    return 'done'
  } catch (error) {
    const kind = kindOf(error)
    const line = { ...arrival.details, err: error }
    if (kind === 'failed' && !arrival.leavesStream) {
      kit.log.warn(line, 'event failed; it will be redelivered')
      return 'repeat'
    }
    const waits = kind !== 'permanent'
    if (kind === 'unreadable') kit.log.warn(line, 'event is unreadable; it is kept and retried for a day')
    else if (waits) kit.log.error(line, 'event keeps failing; it is kept as a dead letter and retried')
    else kit.log.error(line, 'event moved to the dead letters')
    const letter = { durable, owner: ownerOf(wire), eventId, subject, event: JSON.stringify(wire.event ?? null) }
    try {
      const reason = messageOf(error)
      await deadLetters.keep({ ...letter, reason, traceparent: wire.traceparent, ...(waits ? { retryUntil } : {}) })
      return waits ? 'waiting' : 'dead'
    } catch {
      return 'repeat'
    }
  }
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
