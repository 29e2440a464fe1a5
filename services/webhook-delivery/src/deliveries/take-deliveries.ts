import { defineStatement, pick, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { NewDelivery } from './insert-deliveries.ts'

const { subscriptions, providers } = tables

/** Bytes of bodies in one statement, which endpoints share; the first delivery of each is taken however large it is. */
export const mostTakenBytes = 1024 * 1024

/**
 * Takes the longest due deliveries of several endpoints and opens an attempt of each, before anything is sent. After a crash of
 * the worker they are due again when the lease ends. Nothing is taken for a subscription that was disabled or deleted meanwhile.
 */
const take = defineStatement({
  name: 'take-deliveries',
  text: `
    with wanted as (select * from json_to_recordset($1::json) as t (endpoint_id text, room int)),
    due as (
      select id from (
        select mine.*, sum(mine.bytes) over (order by mine.before, mine.id) - mine.bytes as written
        from wanted join endpoints e on e.id = wanted.endpoint_id and e.active cross join lateral (
          select *, sum(bytes) over (rows unbounded preceding) - bytes as before from (
            select id, octet_length(body) as bytes from deliveries
            where endpoint_id = wanted.endpoint_id and next_attempt_at <= now()
            order by next_attempt_at limit wanted.room for update skip locked) as locked) as mine) as counted
      where before = 0 or written < ${mostTakenBytes}
    ), taken as (
      update deliveries d set attempts = d.attempts + 1, next_attempt_at = now() + $2 * interval '1 millisecond'
      from due where d.id = due.id returning d.*
    ), opened as (
      insert into attempts (delivery_id, number) select id, attempts from taken order by id, attempts
    )
    select taken.id, taken.tenant_id, taken.endpoint_id, taken.subscription_id, taken.notification_id, taken.url, taken.body,
      taken.event_type, taken.topic, taken.attempts, taken.charged, taken.held, taken.traceparent,
      s.url as subscription_url, p.id as signer_id, p.secret, p.retry_delays,
      case when p.previous_until > now() then p.previous_secret end as previous_secret,
      case when p.older_until > now() then p.older_secret end as older_secret
    from taken left join subscriptions s on s.id = taken.subscription_id
    left join providers p on p.id = coalesce(s.provider_id, taken.provider_id)`,
  columns: {
    ...pick(tables.deliveries, 'id', 'tenant_id', 'endpoint_id', 'subscription_id', 'notification_id', 'url', 'body'),
    ...pick(tables.deliveries, 'event_type', 'topic', 'attempts', 'charged', 'held', 'traceparent'),
    subscription_url: subscriptions.url.nullable(),
    signer_id: providers.id.nullable(),
    secret: providers.secret.nullable(),
    ...pick(providers, 'previous_secret', 'older_secret', 'retry_delays'),
  },
})

export interface Room {
  endpoint_id: string
  room: number
}

/** A delivery that a worker has taken, with the address and the secrets to send it with. */
export type TakenDelivery = Awaited<ReturnType<typeof takeDeliveries>>[number] & Pick<NewDelivery, 'plain'>

/**
 * `taken_at_ms` is the monotonic time before the lease began: the answer of Postgres may be read late.
 * @param leaseMs longer than the exchange and its settlement take
 */
export async function takeDeliveries(run: Run, wanted: readonly Room[], leaseMs: number) {
  const taken_at_ms = performance.now()
  const rows = await run(take, [JSON.stringify(wanted), leaseMs])
  return rows.map((row) => Object.assign(row, { taken_at_ms }))
}

/** The share of one endpoint. */
export interface Share {
  deliveries: TakenDelivery[]
  /** Whether further ones may be due. */
  hasMore: boolean
}

/** Takes the share of each endpoint, in the order of the wanted ones. */
export async function takeShares(run: Run, wanted: readonly Room[], leaseMs: number): Promise<Share[]> {
  const taken = await takeDeliveries(run, wanted, leaseMs)
  const isCut = taken.reduce((bytes, { body }) => bytes + body.length, 0) >= mostTakenBytes
  const byEndpoint = Map.groupBy(taken, ({ endpoint_id }) => endpoint_id)
  return wanted.map(({ endpoint_id, room }) => {
    const deliveries = byEndpoint.get(endpoint_id) ?? []
    const { length } = deliveries
    return { deliveries, hasMore: length === room || (isCut && length > 0) }
  })
}
