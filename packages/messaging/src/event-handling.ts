import type { WireEvent } from '@notify/contracts'
import { isTraceparent, type Kit, SpanKind } from '@notify/service-kit'
import type { ConsumeOptions } from './consume.ts'
import { type ConsumerEntry, PermanentError } from './consumer.ts'
import type { FailedTry } from './dead-letter.ts'
import { readPayload, UnreadableError } from './read-event.ts'

/** `repeat`: to be delivered again; `waiting` and `dead`: kept in the service's dead letters. */
export type Result = 'done' | 'repeat' | 'waiting' | 'dead'

/** An event as it came, from its stream or from the dead letters. */
export interface Arrival {
  wire: WireEvent
  eventId: string
  subject: string
  redelivered: boolean
  /** Until then it is tried again although it cannot be read. */
  retryUntil: Date
  /** Logged with a failure. */
  details?: Readonly<Record<string, unknown>>
}

/** Reads an event and hands it to its handler. @throws what the handler throws, and UnreadableError */
export async function handleEvent<Context>(
  { tracer }: Kit,
  { event, durable, handle }: ConsumerEntry<Context>,
  context: Context,
  { wire, eventId, subject, redelivered }: Arrival,
): Promise<void> {
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

/** Why a handler threw, as far as it matters for what follows. */
export function kindOf(error: unknown): FailedTry {
  if (error instanceof PermanentError) return 'permanent'
  return error instanceof UnreadableError ? 'unreadable' : 'failed'
}

/** Handles an event, and keeps what is not handled and will not be delivered again. */
export async function settleEvent<Context>(
  kit: Kit,
  entry: ConsumerEntry<Context>,
  { context, deadLetters }: ConsumeOptions<Context>,
  arrival: Arrival,
): Promise<Result> {
  const { durable } = entry
  const { wire, eventId, subject, retryUntil } = arrival
  try {
    await handleEvent(kit, entry, context, arrival)
    return 'done'
  } catch (error) {
    const kind = kindOf(error)
    const line = { durable, event_id: eventId, ...arrival.details, err: error }
    if (kind === 'failed') {
      kit.log.warn(line, 'an event failed and will be handled again')
      return 'repeat'
    }
    const waits = kind === 'unreadable'
    if (waits) kit.log.warn(line, 'an event cannot be read: it is put aside and tried again for a day')
    else kit.log.error(line, 'an event goes to the dead letters')
    const letter = { durable, eventId, subject, event: JSON.stringify(wire.event ?? null), reason: messageOf(error) }
    try {
      await deadLetters.keep({ ...letter, traceparent: wire.traceparent, ...(waits ? { retryUntil } : {}) })
      return waits ? 'waiting' : 'dead'
    } catch {
      return 'repeat'
    }
  }
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
