import { type Id, optedOutReason } from '@notify/contracts'
import { column, defineStatement, outerJoined, pick, type Queries, type RowOf } from '@notify/database'
import { optedOutBecause } from '../../catalogue/preferences/opted-out-because.ts'
import { quietHoursOf } from '../../catalogue/recipients/quiet-hours.ts'
import { suppressedBecause } from '../../catalogue/suppressions/suppressed-because.ts'
import { tables } from '../../db/schema.ts'
import {
  calledOffReason,
  endOfExpired,
  expiredReason,
  hasExpired,
  isCalledOff,
} from '../../outcome/facts/expiry-sql.ts'
import { factsInto } from '../../outcome/facts/fact-sql.ts'
import type { LaneOf } from '../queues/queue-store.ts'
import type { QueueKey, Since } from '../queues/send-queues.ts'
import { foundUnfit } from './found-unfit.ts'

const { notifications, attempts } = tables

const claimColumns = {
  ...pick(notifications, 'id', 'tenant_id', 'application_id', 'channel', 'lane', 'mode', 'recipient_masked'),
  ...pick(notifications, 'recipient_index', 'user_index', 'traceparent', 'attempt_count', 'round_attempts'),
  enqueued_at: notifications.enqueued_at,
  payload: notifications.payload.present(),
  attempt_id: attempts.id,
  /** Providers that this failover must not use again; null when the attempt may use any of them. */
  tried: column.texts<Id<'prov'> | null>().nullable(),
  /** Whether this failover has called no carrier, because none of those providers can send the message. */
  unfit: column.boolean(),
  /** How long internal errors have delayed it. */
  held_ms: column.double(),
  /** How long it has waited because its queue sends nothing; null if it does. */
  queue_held_ms: column.double().nullable(),
  /** How long it could still be sent when it was claimed; null when it does not expire. */
  expires_in_ms: column.double().nullable(),
  /** See `quietHoursOf`; encrypted. */
  quiet_hours: column.bytes().nullable(),
}

/** `refused` is in each row; without claims, in a row of nulls. */
const resultColumns = { ...outerJoined(claimColumns), refused: column.integer() }

/** A notification that only this worker may send now, with the attempt that the claim has opened. */
export interface Claim extends RowOf<typeof claimColumns> {
  /** A time before the claim, by `performance.now()`: lease and expiry count from it, however late the answer is read. */
  claimed_at_ms: number
}

/**
 * The oldest due messages of each queue, by one index, in which a `pg_dump` keeps those that were sent: hence `since`. Rows that others
 * have locked are skipped. Whole rows are passed on: a join back to the input would be quadratic without a hash join.
 */
const locked = `
  select one.*, ($6::text[])[row_number() over ()] as attempt_id
  from unnest($1::text[], $2::text[], $3::int[], $8::timestamptz[]) as asked (application_id, mode, most, since) cross join lateral (
    select n.id, n.tenant_id, n.application_id, n.channel, n.mode, n.recipient_index, n.user_index, n.topic, n.expires_at, n.broadcast_id
    from (
      select f.id from in_flight f
      where f.lane = $4 and f.channel = $5 and f.application_id = asked.application_id and f.mode = asked.mode
        and f.status = 'queued' and f.enqueued_at <= now() and f.next_attempt_at is null
        and f.enqueued_at > least(asked.since, now()) - interval '10 seconds'
      order by f.enqueued_at
    ) as f cross join lateral (
      select * from notifications n
      where n.id = f.id and n.status = 'queued' and not n.sending and n.next_attempt_at is null
      for update skip locked
    ) as n limit asked.most
  ) as one`

const judged = (row: string) => `
  ${suppressedBecause(row)} as suppressed, ${optedOutBecause(row)} as opted_out,
  ${hasExpired(row)} as expired, ${isCalledOff(row)} as called_off`

/** Suppressions, preferences and expiry are checked again here, where the check needs no further query. */
const due = `select id, attempt_id, ${judged('locked')} from locked`

const isRefused = (row: string) =>
  `(${row}.suppressed is not null or ${row}.opted_out is not null or ${row}.expired or ${row}.called_off)`

const refuse = `
  update notifications n
  set status = case when due.called_off then 'cancelled' when due.expired then ${endOfExpired('n')} when due.suppressed is not null then 'failed' else 'cancelled' end, revision = revision + 1, retryable = false, next_attempt_at = null, failovers = 0,
      failure_reason = case when due.called_off then '${calledOffReason}' when due.expired then '${expiredReason}'
        when due.suppressed is null then '${optedOutReason}'
        else 'recipient_suppressed: nothing is sent to this recipient any more (' || due.suppressed || ')' end,
      updated_at = now()
  from due where n.id = due.id and ${isRefused('due')}
  returning n.*`

/** A failover uses no step of the retry schedule. */
const take = `
  update notifications n
  set sending = true, next_attempt_at = null, attempt_count = attempt_count + 1,
      round_attempts = round_attempts + case when failovers = 0 then 1 else 0 end, updated_at = now()
  from due where n.id = due.id and not ${isRefused('due')}
  returning n.*, due.attempt_id`

/** The attempt is recorded before the carrier is called, so a crash leaves an attempt whose lease expires. */
const openAttempt = `
  insert into attempts (notification_id, number, id, lease_until)
  select id, attempt_count, attempt_id, now() + make_interval(secs => $7) from claimed`

const triedProviders = `
  select array_agg(provider_id) as tried, coalesce(bool_and(${foundUnfit('a')}), false) as unfit from attempts a
  where claimed.failovers > 0 and a.notification_id = claimed.id and a.number between claimed.attempt_count - claimed.failovers and claimed.attempt_count - 1`

const msSince = (time: string) => `(extract(epoch from now() - ${time}) * 1000)::float8`

const claim = defineStatement({
  name: 'claim-for-sending',
  text: `
    with locked as materialized (${locked}),
    due as (${due}),
    refused as (${refuse}),
    facts as (${factsInto('refused')}),
    claimed as (${take}),
    opened as (${openAttempt})
    select claimed.id, claimed.tenant_id, claimed.application_id, claimed.channel, claimed.lane, claimed.mode, recipient_masked,
      recipient_index, claimed.user_index, payload, traceparent, attempt_id, attempt_count, round_attempts, claimed.enqueued_at,
      coalesce(${msSince('claimed.held_since')}, 0) as held_ms,
      case when held.since is not null then ${msSince('greatest(held.since, claimed.enqueued_at)')} end as queue_held_ms,
      (extract(epoch from expires_at - now()) * 1000)::float8 as expires_in_ms,
      ${quietHoursOf('claimed')} as quiet_hours, failover.tried, failover.unfit, refused.count as refused
    from (select count(*)::int as count from refused) as refused
    left join claimed on true
    left join lateral (${triedProviders}) as failover on true
    left join held_queues held on held.application_id = claimed.application_id and held.channel = claimed.channel
      and held.mode = claimed.mode`,
  columns: resultColumns,
})

const judgeAgain = defineStatement({
  name: 'judge-claim-again',
  text: `
    select ${isRefused('again')} as refused
    from (select ${judged('n')} from notifications n where n.id = $1) as again`,
  columns: { refused: column.boolean() },
})

/** Whether a message that has waited since its claim must not be sent after all. Its next claim ends it with the reason. */
export async function isRefusedSince(db: Pick<Queries, 'run'>, { id }: Pick<Claim, 'id'>): Promise<boolean> {
  const [row] = await db.run(judgeAgain, [id])
  return row?.refused ?? true
}

/** How many messages of a queue to claim. */
export interface Wanted {
  key: QueueKey
  most: number
  /** Time from which on messages may be waiting, by Postgres's clock: the claim begins some seconds before it; default: all. */
  since?: Since
}

/** Claimed messages, and how many the claim ended: expired, called off, suppressed or switched off by the recipient. */
export interface Claimed {
  claims: Claim[]
  refused: number
}

/**
 * Claims the oldest messages of queues; rows locked by another worker are skipped.
 * @param attemptIds ids for the attempts that are opened, as many as are wanted of all queues together
 */
export async function claimForSending(
  db: Queries,
  { lane, channel }: LaneOf,
  wanted: readonly Wanted[],
  attemptIds: readonly string[],
  leaseSeconds: number,
): Promise<Claimed> {
  const claimed_at_ms = performance.now()
  const rows = await db.run(claim, [
    wanted.map(({ key }) => key.application_id),
    wanted.map(({ key }) => key.mode),
    wanted.map(({ most }) => most),
    lane,
    channel,
    attemptIds,
    leaseSeconds,
    wanted.map(({ since = 'earliest' }) => timestampOf(since)),
  ])
  const claims = rows.filter(isClaim).map((row) => Object.assign(row, { claimed_at_ms }))
  return { claims, refused: rows[0]?.refused ?? 0 }
}

const timestampOf = (since: Since): string =>
  since === 'earliest' ? '-infinity' : since === 'now' ? 'infinity' : since.toISOString()

const isClaim = (row: RowOf<typeof resultColumns>): row is RowOf<typeof claimColumns> & { refused: number } =>
  row.id !== null
