import { type Receipt, receiptReceived } from '@notify/contracts'
import { type Database, outboxColumns, outboxRow, type Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'

/** A receipt and the trace that it came in. */
export interface NewReceipt {
  receipt: Receipt
  traceparent: string | undefined
}

/** The record and its event commit together; what was recorded before makes no second event. */
const record: Statement = {
  name: 'record-receipts',
  text: `
    with input as (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        as t (provider_id, provider_message_id, status, subject, payload, traceparent)
    ), recorded as (
      insert into received_callbacks (provider_id, provider_message_id, status)
      select provider_id, provider_message_id, status from input order by provider_message_id, status
      on conflict do nothing
      returning provider_id, provider_message_id, status
    ), events as (
      insert into outbox (subject, payload, traceparent)
      select subject, payload, traceparent from input join recorded using (provider_id, provider_message_id, status)
    )
    select provider_message_id, status from recorded`,
}

/** Records receipts; of equal ones in the batch only the first may be given. @returns those that were new */
export async function recordReceipts(db: Database<Tables>, receipts: readonly NewReceipt[]): Promise<Set<string>> {
  const events = receipts.map(({ receipt, traceparent }) => outboxRow(receiptReceived, receipt, traceparent))
  const rows = await db.run<{ provider_message_id: string; status: string }>(record, [
    receipts.map(({ receipt }) => receipt.provider_id),
    receipts.map(({ receipt }) => receipt.provider_message_id),
    receipts.map(({ receipt }) => receipt.status),
    ...outboxColumns(events),
  ])
  return new Set(rows.map((row) => `${row.provider_message_id} ${row.status}`))
}

/** What makes two receipts the same. */
export const receiptIdentity = ({ provider_message_id, status }: Receipt) => `${provider_message_id} ${status}`

const keptDays = 14
const deletionBatch = 1000

/** Deletes records whose time is over; returns whether more are left. */
export async function deleteOldCallbacks(db: Database<Tables>): Promise<boolean> {
  const deleted = await db.run(
    `delete from received_callbacks where ctid in (
       select ctid from received_callbacks where received_at < now() - make_interval(days => ${keptDays}) limit ${deletionBatch})
     returning 1`,
  )
  return deleted.length === deletionBatch
}
