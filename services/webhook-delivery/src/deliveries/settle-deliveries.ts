import { deliveryAttempted, webhookReported } from '@notify/contracts'
import { column, defineStatement, enqueueSql, type Run } from '@notify/database'
import { tables } from '../db/schema.ts'
import type { Verdict } from './judge-outcome.ts'
import { testType } from './message-body.ts'

/** The end of an attempt. */
export interface Settlement {
  deliveryId: string
  number: number
  verdict: Verdict
  durationMs: number
  /** Beginning of the answer, encrypted. */
  response: Buffer | null
}

/** The number of failures in a row after which an endpoint counts as struggling. */
const strugglingAfter = 5
/** After a time without attempts a failure begins a new series: the receiver may have worked meanwhile. */
const seriesEndsAfter = `interval '2 days'`

const attempted = `json_build_object('outcome', outcome, 'delivery_id', id, 'tenant_id', tenant_id, 'application_id', application_id,
  'subscription_id', subscription_id, 'notification_id', notification_id, 'attempt', attempts, 'status', last_status,
  'error', last_error, 'occurred_at', now())`

const reported = `json_build_object('notification_id', notification_id, 'retry_count', retry_count,
  'status', case status when 'succeeded' then 'delivered' else 'failed' end,
  'failure_reason', last_error, 'retryable', status <> 'succeeded' and retryable)`

/**
 * Closes attempts and updates their deliveries. An attempt is settled once: a repetition changes nothing. After the lease of
 * an attempt has ended, its failure changes nothing and its success still counts. Endpoints are locked in the order of their ids.
 */
const settle = defineStatement({
  name: 'settle-deliveries',
  text: `
    with input as (
      select * from json_to_recordset($1::json) as t (delivery_id text, number int, outcome text, charged boolean,
        status int, error text, next_in_ms float8, retryable boolean, duration_ms int, response text)
    ), closed as (
      update attempts a set finished_at = now(), duration_ms = i.duration_ms, status = i.status, error = i.error,
        response = decode(i.response, 'base64')
      from input i where a.delivery_id = i.delivery_id and a.number = i.number and a.finished_at is null
      returning i.*
    ), settled as (
      update deliveries d
      set status = case i.outcome when 'failed' then 'pending' else i.outcome end,
        next_attempt_at = case i.outcome when 'failed' then now() + i.next_in_ms * interval '1 millisecond' end,
        finished_at = case i.outcome when 'failed' then null else now() end,
        charged = d.charged + i.charged::int, held = d.held + (not i.charged)::int,
        last_status = i.status, last_error = i.error
      from closed i
      where d.id = i.delivery_id and d.status = 'pending' and (i.outcome = 'succeeded' or d.attempts = i.number)
      returning d.*, i.outcome, i.charged as counts, i.retryable
    ), facts as (${enqueueSql(deliveryAttempted, `(select * from settled where outcome <> 'succeeded') as unsuccessful`, attempted)}),
    reports as (${enqueueSql(
      webhookReported,
      `(select * from settled where subscription_id is null and not arrived and status <> 'pending') as final`,
      reported,
    )}),
    counted as (
      select endpoint_id, bool_or(outcome = 'succeeded') as ok, count(*) filter (where counts)::int as failed
      from settled where subscription_id is null or event_type <> '${testType}' or outcome = 'succeeded' group by endpoint_id
    ), locked as (
      select e.id, ok, failed from endpoints e join counted c on c.endpoint_id = e.id
      where (ok and (e.failures > 0 or e.failing_since is not null)) or (not ok and failed > 0)
      order by e.id for update of e
    )
    update endpoints e
    set failures = case when ok then 0 else e.failures + failed end,
      failing_since = case when ok then null when e.failed_at < now() - ${seriesEndsAfter} then now()
        else coalesce(e.failing_since, now()) end,
      failed_at = case when ok then e.failed_at else now() end,
      struggling = not ok and e.failures + failed >= ${strugglingAfter}
    from locked where e.id = locked.id
    returning e.id, (extract(epoch from now() - e.failing_since) * 1000)::float8 as failing_ms`,
  columns: { id: tables.endpoints.id, failing_ms: column.double().nullable() },
})

/** An endpoint whose failures were counted. */
export type CountedEndpoint = Awaited<ReturnType<typeof settleDeliveries>>[number]

/** Settles attempts of different deliveries; may be repeated. @returns the endpoints whose health changed */
export function settleDeliveries(run: Run, settlements: readonly Settlement[]) {
  const input = settlements.map(({ deliveryId, number, verdict, durationMs, response }) => ({
    delivery_id: deliveryId,
    number,
    outcome: verdict.outcome,
    charged: verdict.charged,
    status: verdict.status,
    error: verdict.error,
    next_in_ms: verdict.nextInMs,
    retryable: verdict.retryable,
    duration_ms: durationMs,
    response: response?.toString('base64'),
  }))
  return run(settle, [JSON.stringify(input)])
}
