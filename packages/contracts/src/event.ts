import type { z } from 'zod'
import type { ServiceName } from './services.ts'

export interface EventContract<S extends z.ZodType = z.ZodType> {
  /** The service that publishes it, and on whose stream it travels. */
  readonly publisher: ServiceName
  /** Subject; `{field}` stands for that field of the payload, e.g. `dispatch.notification.{status}`. */
  readonly subject: string
  readonly schema: S
}

/**
 * One event on the wire. A message carries a JSON array of these, all of one subject: what was committed together travels
 * together.
 */
export interface WireEvent {
  event: unknown
  traceparent?: string | null | undefined
}

/** Declares an event once: its subject, its publisher and the schema of its payload. */
export function defineEvent<S extends z.ZodType>(event: EventContract<S>): EventContract<S> {
  return event
}

const placeholder = /\{(\w+)\}/g

/** The pieces of a subject: between fixed ones, at the odd places, names of fields. */
const pieces = new Map<string, readonly string[]>()

function piecesOf(subject: string): readonly string[] {
  const known = pieces.get(subject)
  if (known) return known
  const found = subject.split(placeholder)
  pieces.set(subject, found)
  return found
}

/** The subject that this payload is published on. */
export function subjectOf<S extends z.ZodType>({ subject }: EventContract<S>, payload: z.output<S>): string {
  let text = ''
  piecesOf(subject).forEach((piece, place) => {
    text += place % 2 === 0 ? piece : String((payload as Record<string, unknown>)[piece])
  })
  return text
}

/** The subject filter that hears the event, narrowed to the field values given. */
export function subjectFilter(event: EventContract, where: Readonly<Record<string, string>> = {}): string {
  return event.subject.replace(placeholder, (_, field: string) => where[field] ?? '*')
}
