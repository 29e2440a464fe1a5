import { type EventContract, subjectOf, type WireEvent } from '@notify/contracts'
import type { z } from 'zod'
import type { Run, Statement } from '../open.ts'

/** An event that is to be published once the transaction has committed, and the trace that it belongs to. */
export interface Outgoing<Payload> {
  event: Payload
  traceparent?: string | null | undefined
}

const insert: Statement = {
  name: 'enqueue-events',
  text: `insert into outbox (subject, events) select subject, events from json_to_recordset($1::json) as t (subject text, events text)`,
}

/** A row of the outbox: all events of one subject that are committed together. */
export interface OutboxMessage {
  subject: string
  /** JSON array of wire events. */
  events: string
}

/** The messages that tell these events; for statements that write rows of the outbox along with others. */
export function messagesOf<S extends z.ZodType>(
  contract: EventContract<S>,
  events: readonly Outgoing<z.output<S>>[],
): OutboxMessage[] {
  const bySubject = Map.groupBy(events, ({ event }) => subjectOf(contract, event))
  return [...bySubject].map(([subject, list]) => ({
    subject,
    events: JSON.stringify(list satisfies readonly WireEvent[]),
  }))
}

/** Puts events into the outbox of the running transaction; those of one subject become one message. */
export async function enqueueEvents<S extends z.ZodType>(
  run: Run,
  contract: EventContract<S>,
  events: readonly Outgoing<z.output<S>>[],
): Promise<void> {
  await run(insert, [JSON.stringify(messagesOf(contract, events))])
}

/**
 * SQL that puts one message for each subject into the outbox; for statements that change rows and tell of it at once.
 * @param source relation or query with the rows
 * @param subject SQL expression of a row's subject
 * @param event SQL expression of a row's payload, as json
 */
export function enqueueSql(source: string, subject: string, event: string): string {
  return `insert into outbox (subject, events)
    select ${subject}, json_agg(json_build_object('event', ${event}, 'traceparent', traceparent))::text
    from ${source} group by ${subject}`
}
