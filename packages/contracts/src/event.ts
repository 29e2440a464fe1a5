import { z } from 'zod'
import type { ServiceName } from './services.ts'

/** A base64 envelope made by `sealEvent` of packages/messaging. The brand rejects plain strings. */
export const SealedText = z.string().brand<'SealedText'>()
export type SealedText = z.output<typeof SealedText>

/** The sealed (encrypted) field of an event. */
export interface Sealing<Field extends string = string, Content extends z.ZodType = z.ZodType> {
  /** Field of the payload that holds the `SealedText`. */
  readonly field: Field
  /** Fields of the payload that are bound as additional authenticated data, together with the subject. */
  readonly aad: readonly string[]
  /** Schema of the content, which is sealed as JSON. */
  readonly content: Content
}

export interface EventContract<S extends z.ZodType = z.ZodType> {
  /** The service that publishes the event on its stream. */
  readonly publisher: ServiceName
  /** Subject; `{field}` stands for that field of the payload, e.g. `callbacks.receipt.{channel}`. */
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
/** Names of the fields of type `SealedText`. */
type SealedFieldOf<S extends z.ZodType> = {
  [Field in FieldOf<S>]: z.output<S>[Field] extends SealedText ? Field : never
}[FieldOf<S>]

/** One event on the wire. A message carries a JSON array of events of one subject: those committed together. */
export interface WireEvent {
  event: unknown
  /** Set when the event was emptied because its recipient was erased; consumers ignore it. */
  erased?: true | undefined
  traceparent?: string | null | undefined
}

/** Declares an event: its publisher, subject, payload schema and sealed field. */
export function defineEvent<S extends z.ZodType, Field extends SealedFieldOf<S>, Content extends z.ZodType>(
  event: SealedEventContract<S, Field, Content> & { sealed: { aad: readonly FieldOf<S>[] } },
): SealedEventContract<S, Field, Content>
export function defineEvent<S extends z.ZodType>(event: EventContract<S> & { sealed?: undefined }): EventContract<S>
export function defineEvent(event: EventContract): EventContract {
  return event
}

const placeholder = /\{(\w+)\}/g

/** The pieces of a subject; those at odd indexes are field names. */
const pieces = new Map<string, readonly string[]>()

function piecesOf(subject: string): readonly string[] {
  const known = pieces.get(subject)
  if (known) return known
  const found = subject.split(placeholder)
  pieces.set(subject, found)
  return found
}

/** The subject that this payload is published on. */
export function subjectOf<S extends z.ZodType>({ subject }: EventContract<S>, payload: z.input<S>): string {
  let text = ''
  piecesOf(subject).forEach((piece, place) => {
    text += place % 2 === 0 ? piece : String((payload as Record<string, unknown>)[piece])
  })
  return text
}

/** The subject filter of the event, narrowed to the given field values. */
export function subjectFilter(event: EventContract, where: Readonly<Record<string, string>> = {}): string {
  return event.subject.replace(placeholder, (_, field: string) => where[field] ?? '*')
}
