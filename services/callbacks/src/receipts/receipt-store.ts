import { type Receipt, receiptReceived, subjectOf } from '@notify/contracts'
import { type Database, enqueueSql, type Statement } from '@notify/database'
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
      select * from json_to_recordset($1::json) as t (provider_id text, provider_message_id text, status text,
        subject text, event json, traceparent text)
    ), recorded as (
      insert into received_callbacks (provider_id, provider_message_id, status)
      select provider_id, provider_message_id, status from input order by provider_message_id, status, provider_id
      on conflict do nothing
      returning provider_id, provider_message_id, status
    ), fresh as (
      select * from input join recorded using (provider_id, provider_message_id, status)
    ), events as (${enqueueSql('fresh', 'subject', 'event')})
    select provider_id, provider_message_id, status from recorded`,
}

/** Records receipts; of equal ones in the batch only the first may be given. @returns the identities of the new ones */
export async function recordReceipts(db: Database<Tables>, receipts: readonly NewReceipt[]): Promise<Set<string>> {
  const input = receipts.map(({ receipt, traceparent }) => ({
    provider_id: receipt.provider_id,
    provider_message_id: receipt.provider_message_id,
    status: receipt.status,
    subject: subjectOf(receiptReceived, receipt),
    event: receipt,
    traceparent,
  }))
  const rows = await db.run<Identity>(record, [JSON.stringify(input)])
  return new Set(rows.map(receiptIdentity))
}

type Identity = Pick<Receipt, 'provider_id' | 'provider_message_id' | 'status'>

/** What makes two receipts the same. */
export function receiptIdentity({ provider_id, provider_message_id, status }: Identity): string {
  return `${provider_id} ${provider_message_id} ${status}`
}

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
