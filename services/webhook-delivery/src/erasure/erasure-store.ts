import { webhookReported } from '@notify/contracts'
import { enqueueSql, erasedText, type Person, type Queries } from '@notify/database'
import type { DeliveryRow } from '../deliveries/delivery-store.ts'

/** Rows of all tenants that a statement reads. */
const pageSize = 1000

/** Why a delivery to the person's address ends. */
export const erasedReason = 'recipient_erased'

export type StoredDelivery = Pick<DeliveryRow, 'id' | 'tenant_id' | 'url' | 'body' | 'recipient_index'>

export interface DeliveryPage {
  /** The id of the last row that was read; null after the end of the table. */
  last: string | null
  deliveries: StoredDelivery[]
}

/**
 * The deliveries of a page that may be the person's: those with the index, and those to any address of the tenant. A page is
 * a fixed number of rows of the primary key, so that no statement scans far for a rare match.
 */
export async function readDeliveries(db: Queries, { tenantId, index }: Person, after: string): Promise<DeliveryPage> {
  const rows = await db.runLong<Omit<StoredDelivery, 'id'> & { last: string; id: string | null }>(
    `with page as (
       select id, tenant_id = $1 and (recipient_index = $2 or url is not null and last_error is distinct from '${erasedReason}') as may_be
       from deliveries where id > $3 order by id limit ${pageSize}
     )
     select last.id as last, d.id, d.tenant_id, d.url, d.body, d.recipient_index
     from (select id from page order by id desc limit 1) as last
     left join deliveries d on d.id = any(array(select id from page where may_be)) order by d.id`,
    [tenantId, index, after],
  )
  const deliveries = rows.flatMap(({ last: _, id, ...row }) => (id === null ? [] : [{ id, ...row }]))
  return { last: rows[0]?.last ?? null, deliveries }
}

/** The remainder of a delivery; `body` and `url` are encrypted. */
export interface Erased {
  id: string
  body: Buffer
  /** Of a send to the person's own address. */
  url: Buffer | null
}

const reported = `json_build_object('notification_id', notification_id, 'retry_count', retry_count, 'status', 'failed',
  'failure_reason', last_error, 'retryable', false)`

/** Sends to the person's address end. A delivery in flight is skipped. @returns how many were erased */
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
