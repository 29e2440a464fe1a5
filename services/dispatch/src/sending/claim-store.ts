import type { Channel, Lane } from '@notify/contracts'
import type { Database, Statement } from '@notify/database'
import type { Tables } from '../db/schema.ts'
import { factsInto } from '../notifications/fact-sql.ts'
import { suppressedBecause } from '../suppressions/suppressed-because.ts'
import { expiredReason, hasExpired } from './expiry-store.ts'

/** A notification that this worker alone may send now, with the attempt that was opened for it. */
export interface Claim {
  id: string
  tenant_id: string
  application_id: string
  channel: Channel
  lane: Lane
  mode: 'live' | 'test'
  recipient_masked: string
  recipient_index: string
  payload: Buffer
  attempt_id: string
  attempt_count: number
  round_attempts: number
  /** Providers that this failover must not use again; null when the attempt may use any of them. */
  tried: (string | null)[] | null
  /** How long it has been requeued because all circuit breakers were open. */
  held_ms: number
  /** How long it may still be sent; null when it does not expire. */
  expires_in_ms: number | null
}

/**
 * Rows are locked by id alone: with the state among the conditions Postgres may walk the whole queue to find a few. The locked
 * rows are passed on whole, never joined with the input again.
 */
const locked = `
  select n.id, n.tenant_id, n.channel, n.mode, n.recipient_index, n.status, n.sending, n.next_attempt_at, n.when_due, n.expires_at,
    attempt_id
  from notifications n join wanted using (id) order by n.id for update of n`

/** The last moment at which a suppression since acceptance, or its expiry, can stop the message without another query. */
const due = `
  select id, attempt_id, ${suppressedBecause('locked')} as suppressed, ${hasExpired('locked')} as expired from locked
  where status = 'queued' and not sending
    and (next_attempt_at is null or next_attempt_at <= now()) and when_due = 'send'`

const refuse = `
  update notifications n
  set status = 'failed', revision = revision + 1, retryable = false, next_attempt_at = null, failovers = 0,
      failure_reason = case when due.expired then '${expiredReason}'
        else 'recipient_suppressed: nothing is sent to this recipient any more (' || due.suppressed || ')' end,
      updated_at = now()
  from due where n.id = due.id and (due.suppressed is not null or due.expired)
  returning n.*`

/** A failover takes no place in the retry schedule. */
const take = `
  update notifications n
  set sending = true, next_attempt_at = null, attempt_count = attempt_count + 1,
      round_attempts = round_attempts + case when failovers = 0 then 1 else 0 end, updated_at = now()
  from due where n.id = due.id and due.suppressed is null and not due.expired
  returning n.*, due.attempt_id`

/** The attempt is on record before the carrier is called: after a crash in between, its lease expires. */
const openAttempt = `
  insert into attempts (notification_id, number, id, lease_until)
  select id, attempt_count, attempt_id, now() + make_interval(secs => $2) from claimed`

const triedProviders = `
  case when failovers > 0 then array(
    select provider_id from attempts a
    where a.notification_id = claimed.id and a.number between attempt_count - failovers and attempt_count - 1
  ) end`

const claim: Statement = {
  name: 'claim-for-sending',
  text: `
    with wanted as (select * from json_to_recordset($1::json) as t (id text, attempt_id text)),
    locked as (${locked}),
    due as (${due}),
    refused as (${refuse}),
    facts as (${factsInto('refused')}),
    claimed as (${take}),
    opened as (${openAttempt})
    select id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, payload, attempt_id,
      attempt_count, round_attempts, coalesce(extract(epoch from now() - held_since) * 1000, 0)::float8 as held_ms,
      (extract(epoch from expires_at - now()) * 1000)::float8 as expires_in_ms,
      ${triedProviders} as tried
    from claimed`,
}

/**
 * Claims notifications; those that are not due, that have expired, that another worker is sending, or whose recipient is
 * suppressed, are missing from the answer.
 */
export function claimForSending(
  db: Database<Tables>,
  wanted: readonly { id: string; attempt_id: string }[],
  leaseSeconds: number,
): Promise<Claim[]> {
  return db.run<Claim>(claim, [JSON.stringify(wanted), leaseSeconds])
}
