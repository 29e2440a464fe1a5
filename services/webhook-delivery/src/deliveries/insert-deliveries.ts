import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { DeliveryRow } from './delivery-store.ts'

/** A delivery to be stored; `url` and `body` are encrypted. */
export type NewDelivery = Pick<
  DeliveryRow,
  | 'id'
  | 'tenant_id'
  | 'application_id'
  | 'endpoint_id'
  | 'subscription_id'
  | 'notification_id'
  | 'retry_count'
  | 'event_type'
  | 'provider_id'
  | 'url'
  | 'body'
  | 'traceparent'
  | 'recipient_index'
>

/** A delivery that is stored already changes nothing. A new one makes its endpoint due. */
const insert = defineStatement({
  name: 'insert-deliveries',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, endpoint_id text,
        subscription_id text, notification_id text, retry_count int, event_type text, provider_id text, url text, body text,
        traceparent text, recipient_index text)
    ), stored as (
      insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, notification_id, retry_count,
        event_type, provider_id, url, body, traceparent, recipient_index, next_attempt_at)
      select id, tenant_id, application_id, endpoint_id, subscription_id, notification_id, retry_count, event_type, provider_id,
        decode(url, 'base64'), decode(body, 'base64'), traceparent, recipient_index, now()
      from input order by notification_id, subscription_id, event_type, retry_count, id
      on conflict do nothing
      returning id, endpoint_id, tenant_id
    ), due as (
      insert into endpoints as known (id, tenant_id, next_due_at)
      select distinct endpoint_id, tenant_id, now() from stored order by endpoint_id
      on conflict (id) do update set next_due_at = now()
      where known.next_due_at is null or known.next_due_at > now()
    )
    select id from stored`,
  columns: pick(tables.deliveries, 'id'),
})

/** Stores deliveries, each once, however often it is given. @returns the number of new ones */
export async function insertDeliveries(run: Run, deliveries: readonly NewDelivery[]): Promise<number> {
  if (deliveries.length === 0) return 0
  const input = deliveries.map(({ url, body, ...rest }) => ({
    ...rest,
    url: url?.toString('base64'),
    body: body.toString('base64'),
  }))
  return (await run(insert, [JSON.stringify(input)])).length
}
