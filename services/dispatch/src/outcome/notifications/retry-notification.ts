import { type retryActivity as contract, dispatchAuditRecorded } from '@notify/contracts'
import { cast, column, defineStatements, idempotent, pick, type RowOf, type Run, recordAudit } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { sql } from 'kysely'
import { optedOutBecause } from '../../catalogue/preferences/opted-out-because.ts'
import { suppressedBecause } from '../../catalogue/suppressions/suppressed-because.ts'
import type { Channels } from '../../channels/channel.ts'
import { channels as registry } from '../../channels/registry.ts'
import type { Context } from '../../context.ts'
import { build, tables } from '../../db/schema.ts'
import { hasExpired, isCalledOff } from '../facts/expiry-sql.ts'
import { factsInto } from '../facts/fact-sql.ts'
import { workQueries } from '../hand-offs/work-sql.ts'
import { isRetryable } from './retryable-sql.ts'

type Request = Parameters<Handler<Context, typeof contract>>[1]

const requeued = pick(tables.notifications, 'enqueued_at', 'application_id', 'retry_count')

const requeue = defineStatements(
  (channels: Channels) => ({
    name: 'requeue-notification',
    text: `
    with again as (
      update notifications n
      set status = 'queued', revision = revision + 1, retry_count = retry_count + 1, round_attempts = 0,
          failovers = 0, held_since = null, next_attempt_at = null, when_due = 'send', sending = false, failure_reason = null, retryable = false,
          enqueued_at = now(), receipt_overdue = false, updated_at = now()
      where id = $1 and tenant_id = $2 and status in ('failed', 'undelivered')
        and retry_count <= coalesce($3::int, retry_count) and ${isRetryable('n')}
      returning *
    ), ${workQueries(channels, 'again')}, facts as (${factsInto('again')})
    select enqueued_at, application_id, retry_count from again`,
    columns: requeued,
  }),
  registry,
)

/** Requeues a failed notification, once for concurrent requests. */
export const retryNotification: Handler<Context, typeof contract> = idempotent({
  effect: ({ channels }, request, run) => retry(run, channels, request),
  after(context, { params, principal, requestId }) {
    context.wakeOutbox()
    context.log.info({ notification_id: params.id, operator: principal.subject, request_id: requestId }, 'retry queued')
  },
})

async function retry(run: Run, channels: Channels, request: Request): Promise<Reply> {
  const { params, principal, query } = request
  const [queued] = await run(requeue(channels), [params.id, principal.tenant_id, query.expected_retry_count ?? null])
  if (!queued) throw await refusal(run, request)
  // For a retry job, the audited change is the creation of the job.
  if (!principal.retry_job) await auditRetry(run, request, queued)
  const body = { status: 'retry_queued', transaction_id: params.id, queued_at: queued.enqueued_at.toISOString() }
  return new Reply(202, JSON.stringify(body))
}

function auditRetry(
  run: Run,
  request: Request,
  { application_id: applicationId, retry_count }: RowOf<typeof requeued>,
) {
  return recordAudit(run, dispatchAuditRecorded, {
    request,
    applicationId,
    action: 'activity.retried',
    resourceId: request.params.id,
    before: { retry_count: retry_count - 1 },
    after: { retry_count },
  })
}

const openStates: readonly string[] = ['queued', 'sent']

async function refusal(run: Run, { params, principal, query }: Request): Promise<Problem> {
  const [found] = await run(
    build
      .selectFrom('notifications as n')
      .select([
        'status',
        'failure_reason',
        'retryable',
        'retry_count',
        cast(column.boolean(), sql`payload is null`).as('erased'),
      ])
      .select(cast(column.boolean(), sql.raw(`${suppressedBecause('n')} is not null`)).as('suppressed'))
      .select(cast(column.boolean(), sql.raw(`${optedOutBecause('n')} is not null`)).as('opted_out'))
      .select(cast(column.boolean(), sql.raw(hasExpired('n'))).as('expired'))
      .select(cast(column.boolean(), sql.raw(isCalledOff('n'))).as('called_off'))
      .where('id', '=', params.id)
      .where('tenant_id', '=', principal.tenant_id),
  )
  if (!found) return new Problem('not_found', 'No transaction has this id')
  const isSeen = found.retry_count <= (query.expected_retry_count ?? found.retry_count)
  if (!isSeen || (found.retry_count > 0 && openStates.includes(found.status))) {
    return new Problem(
      'retry_in_progress',
      `Retry ${found.retry_count} of this message was requested already; read its result first`,
    )
  }
  const hasFailed = found.status === 'failed' || found.status === 'undelivered'
  if (hasFailed && found.expired) return new Problem('not_retryable', 'The notification has expired; send a new one')
  if (hasFailed && found.erased)
    return new Problem('not_retryable', 'The content was erased after the message was sent or failed')
  if (found.retryable && found.called_off)
    return new Problem('not_retryable', 'The broadcast of this message was cancelled, or its application deleted')
  if (found.retryable && found.suppressed) {
    return new Problem('not_retryable', 'The recipient is suppressed on this channel; lift the suppression, then retry')
  }
  if (found.retryable && found.opted_out)
    return new Problem('not_retryable', 'The recipient has switched off the topic of this message for its channel')
  const why = found.failure_reason ? `: ${found.failure_reason}` : ''
  return new Problem(
    'not_retryable',
    `Only failed or undelivered notifications with a retryable failure can be retried; this one is ${found.status}${why}`,
  )
}
