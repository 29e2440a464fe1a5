import type { EventContract } from '@notify/contracts'
import { parseDurationMs, type Span } from '@notify/service-kit'
import type { z } from 'zod'

/** A failure that repeating cannot mend: the event goes to the dead letters at once. */
export class PermanentError extends Error {
  override name = 'PermanentError'
}

/** What a handler learns beside the payload. */
export interface Delivery {
  /** The event's own identity, the same on every delivery. */
  eventId: string
  subject: string
  redelivered: boolean
  span: Span
}

interface ConsumerOptions<Context, Payload> {
  /** `<service>-<event>`; one filter for ever. */
  durable: string
  /** Narrows the subject, e.g. `{ lane: 'transactional' }`. */
  where?: Readonly<Record<string, string>>
  /** Events handled at the same time by one process. */
  concurrency: number
  /** Waits before an event is given again after its handler threw; the last one repeats for ever. */
  retry: readonly string[]
  /** Returns: done. Throws: again later. Throws `PermanentError`: dead letter. May see an event more than once. */
  handle(context: Context, payload: Payload, delivery: Delivery): Promise<void>
}

/** One line of a service's `consumers.ts`. */
export interface ConsumerEntry<Context> {
  event: EventContract
  durable: string
  where: Readonly<Record<string, string>>
  concurrency: number
  retryMs: readonly number[]
  handle(context: Context, payload: unknown, delivery: Delivery): Promise<void>
}

/** Declares what a service does with an event: schema, durable, concurrency, retries and handler typed together. */
export function consumer<Context, S extends z.ZodType>(
  event: EventContract<S>,
  options: ConsumerOptions<Context, z.output<S>>,
): ConsumerEntry<Context> {
  const { durable, where = {}, concurrency, retry, handle } = options
  return {
    event,
    durable,
    where,
    concurrency,
    retryMs: retry.map(parseDurationMs),
    handle: (context, payload, delivery) => handle(context, payload as z.output<S>, delivery),
  }
}
