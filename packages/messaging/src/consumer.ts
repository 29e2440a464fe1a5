import type { EventContract } from '@notify/contracts'
import { parseDurationMs, type Span } from '@notify/service-kit'
import type { z } from 'zod'

/** A failure that a retry cannot fix: the event becomes a dead letter at once. */
export class PermanentError extends Error {
  override name = 'PermanentError'
}

/** What a handler receives besides the payload. */
export interface Delivery {
  /** Id of the event, the same on every delivery. */
  eventId: string
  subject: string
  redelivered: boolean
  span: Span
}

interface ConsumerOptions<Context, Payload> {
  /** `<service>-<event>`; its filter never changes. */
  durable: string
  /** Narrows the subject, e.g. `{ lane: 'transactional' }`. */
  where?: Readonly<Record<string, string>>
  /** Events handled concurrently by one process. */
  concurrency: number
  /** Delays before an event is redelivered after its handler threw; the last one repeats. */
  retry: readonly string[]
  /** Time after which the events of an unresponsive process are redelivered; 15 s by default. */
  ackWait?: string
  /**
   * Handles an event. If it returns, the event is acknowledged; if it throws, redelivered; if it throws `PermanentError`,
   * stored as a dead letter. May be called more than once for an event.
   */
  handle(context: Context, payload: Payload, delivery: Delivery): Promise<void>
}

/** An entry of a service's `consumers.ts`. */
export interface ConsumerEntry<Context> {
  event: EventContract
  durable: string
  where: Readonly<Record<string, string>>
  concurrency: number
  retryMs: readonly number[]
  ackWaitMs: number
  handle(context: Context, payload: unknown, delivery: Delivery): Promise<void>
}

/** Declares how a service handles an event: schema, durable, concurrency, retries and handler. */
export function consumer<Context, S extends z.ZodType>(
  event: EventContract<S>,
  options: ConsumerOptions<Context, z.output<S>>,
): ConsumerEntry<Context> {
  const { durable, where = {}, concurrency, retry, ackWait = '15s', handle } = options
  return {
    event,
    durable,
    where,
    concurrency,
    retryMs: retry.map(parseDurationMs),
    ackWaitMs: parseDurationMs(ackWait),
    handle: (context, payload, delivery) => handle(context, payload as z.output<S>, delivery),
  }
}
