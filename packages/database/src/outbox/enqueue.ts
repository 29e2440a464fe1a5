import { type EventContract, subjectOf, type WireEvent } from '@notify/contracts'
import type { z } from 'zod'
import type { Run } from '../open.ts'
import { defineStatements } from '../statement.ts'

/** An event to publish after the commit, and its trace. */
export interface Outgoing<Payload> {
  event: Payload
  traceparent?: string | null | undefined
}

/** A row of the outbox: events of one subject in a transaction. */
export interface OutboxMessage {
  subject: string
  /** JSON array of wire events. */
  events: string
}

/** Bytes of events from which a message is split. NATS takes 1 MiB, and the largest event, a hand-off, has less than 700,000 bytes. */
const maxPart = 250_000

/**
 * SQL for the message that an event goes into, of several of one subject.
 * @param event SQL expression of its text; the events are counted in the order of the rows
 */
export const partSql = (event: string) => `sum(octet_length(${event})) over (rows unbounded preceding) / ${maxPart}`

/** Groups events into outbox messages. */
export function messagesOf<S extends z.ZodType>(
  contract: EventContract<S>,
  events: readonly Outgoing<z.input<S>>[],
): OutboxMessage[] {
  const bySubject = Map.groupBy(events, ({ event }) => subjectOf(contract, event))
  return [...bySubject].flatMap(([subject, list]) =>
    partsOf(list).map((part) => ({ subject, events: `[${part.join(',')}]` })),
  )
}

function partsOf(list: readonly WireEvent[]): string[][] {
  let bytes = 0
  const parts = Map.groupBy(
    list.map((one) => JSON.stringify(one)),
    (text) => {
      bytes += Buffer.byteLength(text)
      return Math.floor(bytes / maxPart)
    },
  )
  return [...parts.values()]
}

/**
 * SQL for the rows of messages, each with two parameters. As part of one JSON parameter their text would be escaped here and
 * unescaped by Postgres, which costs as much as storing it.
 * @param count how many messages; without any, there are neither parameters nor rows
 * @param first number of the first parameter; the values are those of `messageValues`
 */
export function messagesSql(count: number, first: number): string {
  const rows = Array.from({ length: count }, (_, at) => `($${first + 2 * at}::text, $${first + 2 * at + 1}::text)`)
  const values = count > 0 ? rows.join(', ') : '(null::text, null::text) limit 0'
  return `select * from (values ${values}) as t (subject, events)`
}

/** The parameters of `messagesSql`. */
export function messageValues(messages: readonly OutboxMessage[]): string[] {
  return messages.flatMap(({ subject, events }) => [subject, events])
}

/** Writes events to the outbox of the running transaction, those of one subject together. */
export async function enqueueEvents<S extends z.ZodType>(
  run: Run,
  contract: EventContract<S>,
  events: readonly Outgoing<z.input<S>>[],
): Promise<void> {
  if (events.length === 0) return
  const messages = messagesOf(contract, events)
  await run(insert(messages.length), messageValues(messages))
}

const insert = defineStatements(
  (count: number) => ({
    name: `enqueue-events-${count}`,
    text: `insert into outbox (subject, events) ${messagesSql(count, 1)}`,
  }),
  1,
)

/**
 * SQL that writes events to the outbox, those of one subject together; for statements that change rows and publish the change.
 * @param contract its event; the fields of its subject are columns of the source
 * @param source relation or query with the rows
 * @param event SQL expression of a row's payload, as json
 */
export function enqueueSql({ subject }: EventContract, source: string, event: string): string {
  // Without "offset 0" each event would be made twice: to be written, and to be measured.
  return `insert into outbox (subject, events)
    select subject, '[' || string_agg(event, ',') || ']' from (
      select subject, event, ${partSql('event')} as part from (
        select ${subjectSql(subject)} as subject, json_build_object('event', ${event}, 'traceparent', traceparent)::text as event
        from ${source} offset 0) as one
    ) as measured group by subject, part`
}

/** `a.{field}` becomes `'a.' || field`; a constant gets a cast, so that it can be grouped by. */
function subjectSql(template: string): string {
  const columns = template.replace(/\{(\w+)\}/g, `' || $1 || '`)
  return `${`'${columns}'`.replaceAll(` || ''`, '')}::text`
}
