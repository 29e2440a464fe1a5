import { type EventContract, type Id, subjectOf, type WireEvent } from '@notify/contracts'
import { defineStatement, deletionByTime, partSql, pick, type Queries } from '@notify/database'
import type { z } from 'zod'
import { tables } from '../db/schema.ts'

/** The identity of a callback: the carrier's message id, and its content. */
interface Identity {
  provider_id: Id<'prov'>
  provider_message_id: string
  status: string
}

/** The status of a contact whose number and user id the carrier has reported together. */
export const identified = 'identified'

/** Ends the message id of a receipt that suppresses its recipient. */
export const suppressing = ' suppress'

/** A callback to record once, and its event. */
export interface NewCallback extends Identity {
  subject: string
  wire: WireEvent
}

/** A callback with its event. */
export function callbackOf<S extends z.ZodType>(
  { provider_id, provider_message_id, status }: Identity,
  contract: EventContract<S>,
  event: z.input<S>,
  traceparent: string | undefined,
): NewCallback {
  return { provider_id, provider_message_id, status, subject: subjectOf(contract, event), wire: { event, traceparent } }
}

/**
 * Commits a record with its event; existing records produce no event. `is true` prevents a quadratic join. Events are
 * passed as text, because nothing reads them on the way.
 */
const record = defineStatement({
  name: 'record-callbacks',
  text: `
    with input as (
      select *, ${partSql('event')} as part from rows from (json_to_recordset($1::json) as (provider_id text,
        provider_message_id text, status text, subject text, attempt_id text, event text)) with ordinality
    ), messages as materialized (
      select subject, part, uuidv7() as id from (select distinct subject, part from input) as parts
    ), recorded as (
      insert into received_callbacks (provider_id, provider_message_id, status, attempt_id, message_id)
      select provider_id, provider_message_id, status, attempt_id, case when attempt_id is not null then messages.id end
      from input join messages using (subject, part) order by provider_message_id, status, provider_id
      on conflict do nothing
      returning provider_id, provider_message_id, status
    ), published as (
      insert into outbox (id, subject, events)
      select messages.id, subject, '[' || string_agg(event, ',' order by ordinality) || ']' from input join messages using (subject, part)
      where ((provider_id, provider_message_id, status) in (table recorded)) is true
      group by messages.id, subject
    )
    select provider_id, provider_message_id, status from recorded`,
  columns: pick(tables.received_callbacks, 'provider_id', 'provider_message_id', 'status'),
})

/** Records callbacks; the batch must not contain duplicates. @returns the identities of the new ones */
export async function recordCallbacks(db: Queries, callbacks: readonly NewCallback[]): Promise<Set<string>> {
  const input = callbacks.map(({ wire, ...callback }) => {
    const { attempt_id = null, copy } = (wire.event ?? {}) as { attempt_id?: string; copy?: string }
    // What becomes of a copy is no receipt of the message.
    return { ...callback, attempt_id: copy === undefined ? attempt_id : null, event: JSON.stringify(wire) }
  })
  const recorded = await db.run(record, [JSON.stringify(input)])
  return new Set(recorded.map(callbackIdentity))
}

export function callbackIdentity({ provider_id, provider_message_id, status }: Identity): string {
  return `${provider_id} ${provider_message_id} ${status}`
}

const keptDays = 14

/** Makes a function that deletes one batch of expired records and resolves to true when more are left */
export const createCallbackDeletion = deletionByTime({ table: 'received_callbacks', time: 'received_at', keptDays })
