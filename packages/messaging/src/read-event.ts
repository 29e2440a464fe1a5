import type { EventContract, WireEvent } from '@notify/contracts'
import type { z } from 'zod'

/**
 * This release cannot read the event: invalid JSON, a schema mismatch, or an unknown encryption key. Another release or
 * configuration may read it, so it is retried for {@link unreadableForMs}.
 */
export class UnreadableError extends Error {
  override name = 'UnreadableError'
}

/** How long after its publication an unreadable event is retried before it is dead. */
export const unreadableForMs = 24 * 60 * 60 * 1000

/** The events of a message. @throws UnreadableError when it is not a JSON array */
export function readMessage(text: string): WireEvent[] {
  const events = readable('the message is not JSON', () => JSON.parse(text) as unknown)
  if (!Array.isArray(events)) throw new UnreadableError('the message is not an array')
  return events.map((item: unknown) =>
    typeof item === 'object' && item !== null ? (item as WireEvent) : { event: item },
  )
}

/**
 * The owner of an event, for the turns of owners: its tenant, else its provider. Events without either have one owner
 * together.
 */
export function ownerOf({ event }: WireEvent): string {
  const { tenant_id, provider_id } = (event ?? {}) as Record<string, unknown>
  return typeof tenant_id === 'string' ? tenant_id : typeof provider_id === 'string' ? provider_id : ''
}

/**
 * The payload of an event, without unknown fields.
 * @throws UnreadableError naming the first invalid field, never its value
 */
export function readPayload<S extends z.ZodType>({ schema }: EventContract<S>, { event }: WireEvent): z.output<S> {
  const { success, data, error } = schema.safeParse(event)
  if (success) return data
  const [issue] = error.issues
  const field = issue?.path.map(String).join('.') || 'the event'
  throw new UnreadableError(`the event does not match its schema: ${field} ${issue?.message}`)
}

/**
 * Runs `read` (decrypt, parse, validate) and converts its errors.
 * @throws UnreadableError with `reason` only, because the cause may quote the content
 */
export function readable<T>(reason: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new UnreadableError(reason, { cause })
  }
}
