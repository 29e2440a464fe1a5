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
>

/** What was stored before under the same natural key changes nothing. New ones make their endpoint due. */
const insert: Statement = {
  name: 'insert-deliveries',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, endpoint_id text,
        subscription_id text, notification_id text, retry_count int, event_type text, provider_id text, url text, body text,
        traceparent text)
    ), stored as (
      insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, notification_id, retry_count,
        event_type, provider_id, url, body, traceparent, next_attempt_at)
      select id, tenant_id, application_id, endpoint_id, subscription_id, notification_id, retry_count, event_type, provider_id,
        decode(url, 'base64'), decode(body, 'base64'), traceparent, now()
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

/** Stores deliveries, each once however often it comes. @returns how many were new */
export async function insertDeliveries(run: Run, deliveries: readonly NewDelivery[]): Promise<number> {
  if (deliveries.length === 0) return 0
  const input = deliveries.map(({ url, body, ...rest }) => ({
    ...rest,
    url: url?.toString('base64'),
    body: body.toString('base64'),
  }))
  return (await run(insert, [JSON.stringify(input)])).length
}

/** A delivery that a worker has taken, with what it takes to send it. */
export interface TakenDelivery extends DeliveryRow {
  subscription_url: Buffer | null
  signer_id: string | null
  secret: Buffer | null
  previous_secret: Buffer | null
  retry_delays: number[] | null
}

/**
 * Takes the longest due deliveries of several endpoints and opens an attempt of each, before anything is sent. A worker that
 * dies gives them back when the lease ends.
 */
const take: Statement = {
  name: 'take-deliveries',
  text: `
    with wanted as (select * from json_to_recordset($1::json) as t (endpoint_id text, room int)),
    due as (
      select mine.id from wanted cross join lateral (
        select id from deliveries where endpoint_id = wanted.endpoint_id and next_attempt_at <= now()
        order by next_attempt_at limit wanted.room for update skip locked) as mine
    ), taken as (
      update deliveries d set attempts = d.attempts + 1, next_attempt_at = now() + $2 * interval '1 millisecond'
      from due where d.id = due.id returning d.*
    ), opened as (
      insert into attempts (delivery_id, number) select id, attempts from taken order by id, attempts
    )
    select taken.*, s.url as subscription_url, p.id as signer_id, p.secret, p.retry_delays,
      case when p.previous_until > now() then p.previous_secret end as previous_secret
    from taken left join subscriptions s on s.id = taken.subscription_id
    left join providers p on p.id = coalesce(s.provider_id, taken.provider_id)`,
}

export interface Room {
  endpoint_id: string
  room: number
}

/** @param leaseMs longer than the exchange and its settlement take */
export function takeDeliveries(run: Run, wanted: readonly Room[], leaseMs: number): Promise<TakenDelivery[]> {
  return run<TakenDelivery>(take, [JSON.stringify(wanted), leaseMs])
}
