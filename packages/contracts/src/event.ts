import { z } from 'zod'
import type { ServiceName } from './services.ts'

/** Base64 of an envelope that `sealEvent` of packages/messaging made; a plain string does not fit. */
export const SealedText = z.string().brand<'SealedText'>()
export type SealedText = z.output<typeof SealedText>

/** How an event carries what is secret in it. */
export interface Sealing<Field extends string = string, Content extends z.ZodType = z.ZodType> {
  /** Field of the payload that holds the `SealedText`. */
  readonly field: Field
  /** Fields of the payload that the content is bound to, beside the subject: with other values it cannot be opened. */
  readonly aad: readonly string[]
  /** What is sealed, as JSON. */
  readonly content: Content
}

export interface EventContract<S extends z.ZodType = z.ZodType> {
  /** The service that publishes it, and on whose stream it travels. */
  readonly publisher: ServiceName
  /** Subject; `{field}` stands for that field of the payload, e.g. `dispatch.notification.{status}`. */
  readonly subject: string
  readonly schema: S
  readonly sealed?: Sealing | undefined
}

/** An event with a sealed field. */
export interface SealedEventContract<
  S extends z.ZodType = z.ZodType,
  Field extends string = string,
  Content extends z.ZodType = z.ZodType,
> extends EventContract<S> {
  readonly sealed: Sealing<Field, Content>
}

type FieldOf<S extends z.ZodType> = keyof z.output<S> & string
/** The fields whose values are a `SealedText`. */
type SealedFieldOf<S extends z.ZodType> = {
  [Field in FieldOf<S>]: z.output<S>[Field] extends SealedText ? Field : never
}[FieldOf<S>]

/**
 * One event on the wire. A message carries a JSON array of these, all of one subject: what was committed together travels
 * together.
 */
export interface WireEvent {
  event: unknown
  traceparent?: string | null | undefined
}

/** Declares an event once: its publisher, its subject, the schema of its payload, and what is sealed in it. */
export function defineEvent<S extends z.ZodType, Field extends SealedFieldOf<S>, Content extends z.ZodType>(
  event: SealedEventContract<S, Field, Content> & { sealed: { aad: readonly FieldOf<S>[] } },
): SealedEventContract<S, Field, Content>
export function defineEvent<S extends z.ZodType>(event: EventContract<S> & { sealed?: undefined }): EventContract<S>
export function defineEvent(event: EventContract): EventContract {
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
