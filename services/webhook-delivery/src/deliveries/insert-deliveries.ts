import { column, defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { DeliveryRow } from './delivery-store.ts'

const { subscriptions, providers } = tables

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
> &
  Partial<Pick<DeliveryRow, 'topic'>> & {
    /** What was encrypted, for an attempt that begins at once. */
    plain?: { url?: string; body: string }
  }

/** Stores deliveries, each once, and begins to send those that this process has room for. @returns those that are new */
export type StoreDeliveries = (deliveries: readonly NewDelivery[]) => Promise<Set<string>>

/**
 * What the process offers a delivery. `open`: it has the endpoint and room, so the attempt begins with the delivery. `claim`: it
 * has room if the endpoint is free. `wait`: it has the endpoint, and takes the delivery later.
 */
export type Offered = 'open' | 'claim' | 'wait' | null

/** Nothing else is due, and no other worker has the endpoint. */
const isFree = `known.active and not known.struggling and (known.leased_until is null or known.leased_until <= now())`
const leaseEnd = `now() + $3 * interval '1 millisecond'`

/**
 * A delivery that is stored already changes nothing. A new one is opened as {@link Offered} says, or makes its endpoint due: a
 * session that has the endpoint finds what it did not open. Endpoints are locked in the order of their ids.
 */
const insert = defineStatement({
  name: 'insert-deliveries',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (id text, tenant_id text, application_id text, endpoint_id text,
        subscription_id text, notification_id text, retry_count int, event_type text, provider_id text, url text, body text,
        traceparent text, recipient_index text, topic text, offered text)
    ), met as (
      insert into endpoints as known (id, tenant_id, next_due_at, leased_until)
      select endpoint_id, min(tenant_id), case when bool_or(offered = 'claim') then ${leaseEnd} else now() end,
        case when bool_or(offered = 'claim') then ${leaseEnd} end
      from input where offered is null or offered = 'claim' group by endpoint_id order by endpoint_id
      on conflict (id) do update set
        next_due_at = case when ${isFree} then excluded.next_due_at else now() end,
        leased_until = case when ${isFree} then excluded.leased_until else known.leased_until end
      where known.next_due_at is null or known.next_due_at > now()
      returning id, leased_until, old.next_due_at is null as is_alone
    ), stored as (
      insert into deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, notification_id, retry_count,
        event_type, provider_id, url, body, traceparent, recipient_index, topic, attempts, next_attempt_at)
      select id, tenant_id, application_id, endpoint_id, subscription_id, notification_id, retry_count, event_type, provider_id,
        decode(url, 'base64'), decode(body, 'base64'), traceparent, recipient_index, topic, opens::int,
        case when opens then now() + $2 * interval '1 millisecond' else now() end
      from (
        select *, case offered when 'open' then exists (select from endpoints e where e.id = endpoint_id and e.active)
          else offered = 'claim' and endpoint_id = any(array(select id from met where leased_until = ${leaseEnd})) end is true as opens
        from input) as one
      order by notification_id, subscription_id, event_type, retry_count, id
      on conflict do nothing
      returning id, endpoint_id, subscription_id, provider_id, attempts = 1 as is_open
    ), opened as (
      insert into attempts (delivery_id, number) select id, 1 from stored where is_open order by id
    )
    select stored.id, stored.endpoint_id, is_open, null as lease, null::boolean as is_alone, s.url as subscription_url,
      p.id as signer_id, p.secret, p.retry_delays,
      case when p.previous_until > now() then p.previous_secret end as previous_secret,
      case when p.older_until > now() then p.older_secret end as older_secret
    from stored left join subscriptions s on is_open and s.id = stored.subscription_id
    left join providers p on is_open and p.id = coalesce(s.provider_id, stored.provider_id)
    union all
    select null, id, null, case when leased_until = ${leaseEnd} then leased_until::text end, is_alone,
      null, null, null, null, null, null
    from met where leased_until > now()`,
  columns: {
    id: tables.deliveries.id.nullable(),
    endpoint_id: tables.deliveries.endpoint_id,
    is_open: column.boolean().nullable(),
    lease: column.text().nullable(),
    is_alone: column.boolean().nullable(),
    subscription_url: subscriptions.url.nullable(),
    signer_id: providers.id.nullable(),
    secret: providers.secret.nullable(),
    ...pick(providers, 'previous_secret', 'older_secret', 'retry_delays'),
  },
})

/** A row of a delivery, with what signs it if its attempt is open; or, without an id, of a leased endpoint: a `lease` is the caller's. */
export type StoredRow = Awaited<ReturnType<typeof insertOffered>>[number]

/** How long a worker has what it opens, in milliseconds. */
export interface InsertLeases {
  deliveryMs: number
  endpointMs: number
}

/** Stores deliveries, each once, however often it is given, and opens those that it may. */
export function insertOffered(
  run: Run,
  deliveries: readonly (NewDelivery & { offered: Offered })[],
  { deliveryMs, endpointMs }: InsertLeases,
) {
  const input = deliveries.map(({ plain: _, url, body, ...rest }) => ({
    ...rest,
    url: url?.toString('base64'),
    body: body.toString('base64'),
  }))
  return run(insert, [JSON.stringify(input), deliveryMs, endpointMs])
}

/** Stores deliveries for whichever process claims them. @returns the number of new ones */
export async function insertDeliveries(run: Run, deliveries: readonly NewDelivery[]): Promise<number> {
  if (deliveries.length === 0) return 0
  const unoffered = deliveries.map((one) => ({ ...one, offered: null }))
  const rows = await insertOffered(run, unoffered, { deliveryMs: 0, endpointMs: 0 })
  return rows.filter(({ id }) => id !== null).length
}
