import { webhookReported } from '@notify/contracts'
import { enqueueSql, erasedText, type Person, type Queries } from '@notify/database'
import type { DeliveryRow } from '../deliveries/delivery-store.ts'

/** Rows read at a time. */
const pageSize = 500

/** Why a delivery to the person's address ends. */
export const erasedReason = 'recipient_erased'

export type StoredDelivery = Pick<DeliveryRow, 'id' | 'tenant_id' | 'url' | 'body' | 'recipient_index'>

/** A page of the deliveries that may be the person's: those with their index, and those to any address of the tenant. */
export function readDeliveries(db: Queries, { tenantId, index }: Person, after: string): Promise<StoredDelivery[]> {
  return db.runLong<StoredDelivery>(
    `select id, tenant_id, url, body, recipient_index from deliveries
     where id > $3 and tenant_id = $1 and (recipient_index = $2 or url is not null and last_error is distinct from '${erasedReason}')
     order by id limit ${pageSize}`,
    [tenantId, index, after],
  )
}

/** What stays of a delivery; `body` and `url` are encrypted. */
export interface Erased {
  id: string
  body: Buffer
  /** Of a send to the person's own address. */
  url: Buffer | null
}

const reported = `json_build_object('notification_id', notification_id, 'retry_count', retry_count, 'status', 'failed',
  'failure_reason', last_error, 'retryable', false)`

/** Sends to the person's address end. A delivery that a worker is making is left. @returns how many were erased */
export async function storeErased(db: Queries, erased: readonly Erased[]): Promise<number> {
  if (erased.length === 0) return 0
  const [row] = await db.runLong<{ count: number }>(
    `with input as (
       select id, decode(url, 'base64') as url, decode(body, 'base64') as body
       from json_to_recordset($1::json) as t (id text, url text, body text)
     ), idle as (
       select d.id, d.status = 'pending' and d.url is not null as ends from deliveries d
       where d.id = any(array(select id from input)) and not exists (
         select from attempts a where a.delivery_id = d.id and a.number = d.attempts and a.finished_at is null
           and d.status = 'pending' and d.next_attempt_at > now())
       order by d.id for update
     ), erased as (
       update deliveries d
       set body = input.body, url = input.url, recipient_index = case when d.recipient_index is not null then '${erasedText}' end,
         status = case when ends then 'exhausted' else d.status end,
         next_attempt_at = case when ends then null else d.next_attempt_at end,
         finished_at = case when ends then now() else d.finished_at end,
         last_error = case when input.url is null then d.last_error else '${erasedReason}' end
       from input join idle using (id) where d.id = input.id
       returning d.*, ends
     ), words as (
       update attempts set response = null where delivery_id = any(array(select id from erased))
     ), reports as (${enqueueSql(webhookReported, '(select * from erased where ends) as ended', reported)})
     select count(*)::int as count from erased`,
    [
      JSON.stringify(
        erased.map(({ id, url, body }) => ({ id, url: url?.toString('base64'), body: body.toString('base64') })),
      ),
    ],
  )
  return row!.count
}
