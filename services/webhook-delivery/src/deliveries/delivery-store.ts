import type { WebhookDeliveryStatus } from '@notify/contracts'
import type { Run, Statement } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema.ts'

export type DeliveryRow = Selectable<Tables['deliveries']>

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
const insert: Statement = {
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
}

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

export async function findDelivery(run: Run, tenantId: string, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await run<DeliveryRow>('select * from deliveries where id = $1 and tenant_id = $2', [id, tenantId])
  return row
}

const states: readonly WebhookDeliveryStatus[] = ['pending', 'succeeded', 'exhausted']

/** The deliveries of a subscription in one state or in any, newest first. */
export function listDeliveryRows(
  run: Run,
  { id, status }: { id: string; status: WebhookDeliveryStatus | undefined },
  { after, limit }: { after: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  // The index has a range for each state: the newest of every range are read and merged.
  const inState = (state: string) => `(select * from deliveries where subscription_id = $1 and status = '${state}'
    and ($2::text is null or id < $2) order by id desc limit $3)`
  const ranges = (status ? [status] : states).map(inState)
  return run<DeliveryRow>(`select * from (${ranges.join(' union all ')}) as any_state order by id desc limit $3`, [
    id,
    after ?? null,
    limit,
  ])
}

export type AttemptRow = Selectable<Tables['attempts']>

export function listAttemptRows(run: Run, deliveryId: string): Promise<AttemptRow[]> {
  return run<AttemptRow>('select * from attempts where delivery_id = $1 order by number', [deliveryId])
}
