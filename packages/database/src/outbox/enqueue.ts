import { type EventContract, subjectOf } from '@notify/contracts'
import type { z } from 'zod'

/** An event as a row of the outbox. */
export interface OutboxRow {
  subject: string
  payload: string
  traceparent: string | null
}

/** Makes the outbox row of an event; it is published after the transaction that inserts it has committed. */
export function outboxRow<S extends z.ZodType>(event: EventContract<S>, payload: z.output<S>, traceparent?: string | null): OutboxRow {
  return { subject: subjectOf(event, payload), payload: JSON.stringify(payload), traceparent: traceparent ?? null }
}

/** The rows as three parallel arrays, for `insert … select from unnest($1::text[], $2::text[], $3::text[])`. */
export function outboxColumns(rows: readonly OutboxRow[]): [string[], string[], (string | null)[]] {
  return [rows.map((row) => row.subject), rows.map((row) => row.payload), rows.map((row) => row.traceparent)]
}
