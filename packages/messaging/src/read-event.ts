import type { EventContract, WireEvent } from '@notify/contracts'
import type { z } from 'zod'

/**
 * What was sent cannot be read by this release: it is no JSON, does not fit its schema, or is encrypted with a key that is
 * not here. Another release or configuration may read it, so it is tried again for {@link unreadableForMs}.
 */
export class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/** For so long after its publication an event that cannot be read is tried again; then it is dead. */
export const unreadableForMs = 24 * 60 * 60 * 1000

/** The events of a message. @throws UnreadableError when it is not a JSON array */
export function readMessage(text: string): WireEvent[] {
  const events = readable('the message is no JSON', () => JSON.parse(text) as unknown)
  if (!Array.isArray(events)) throw new UnreadableError('the message is not an array')
  return events.map((item: unknown) =>
    typeof item === 'object' && item !== null ? (item as WireEvent) : { event: item },
  )
}

/**
 * The payload of an event. Fields that this release does not know are dropped.
 * @throws UnreadableError naming the first field that does not fit, never its value
 */
export function readPayload<S extends z.ZodType>({ schema }: EventContract<S>, { event }: WireEvent): z.output<S> {
  const { success, data, error } = schema.safeParse(event)
  if (success) return data
  const [issue] = error.issues
  throw new UnreadableError(`the event does not fit its schema: ${issue?.path.map(String).join('.')} ${issue?.message}`)
}

/**
 * Reads what an event carries, for handlers: decrypts, parses, validates.
 * @throws UnreadableError for whatever `read` throws, with `reason` alone: the cause may quote what was read
 */
export function readable<T>(reason: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new UnreadableError(reason, { cause })
  }
}
