import { webhookReported } from '@notify/contracts'
import { column, defineStatement, enqueueSql, erasedText, type Queries } from '@notify/database'

/** Why a delivery to the person's address ends. */
export const erasedReason = 'recipient_erased'

/** The remainder of a delivery; `body` and `url` are encrypted. */
export interface Erased {
  id: string
  body: Buffer
  /** Set only if the message was sent to the person's own URL. */
  url: Buffer | null
}

const reported = `json_build_object('notification_id', notification_id, 'retry_count', retry_count, 'status', 'failed',
  'failure_reason', last_error, 'retryable', false)`

const store = defineStatement({
  name: 'store-erased-deliveries',
  isPrepared: false,
  text: `
    with input as (
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
    ), reports as (${enqueueSql(webhookReported, '(select * from erased where ends and not arrived) as ended', reported)})
    select count(*)::int as count from erased`,
  columns: { count: column.integer() },
})

/** Sends to the person's address end. A delivery in flight is skipped. @returns how many were erased */
export async function storeErased(db: Queries, erased: readonly Erased[]): Promise<number> {
  if (erased.length === 0) return 0
  const input = erased.map(({ id, url, body }) => ({ id, url: url?.toString('base64'), body: body.toString('base64') }))
  const [row] = await db.runLong(store, [JSON.stringify(input)])
  return row!.count
}
