import { type createRetryJob as contract, e164Pattern, type Id, mailboxPattern, newId } from '@notify/contracts'
import { auditEntry, idempotent } from '@notify/database'
import { maskEmail, maskPhone, recipientTag } from '@notify/privacy'
import { type Handler, Reply } from '@notify/service-kit'
import { type ActivityFilter, readFilter } from '../activity/activity-filter.ts'
import { countItems, type Total } from '../activity/total-store.ts'
import { appendAuditEntry } from '../audit/audit-store.ts'
import type { Context } from '../context.ts'
import { describeRetry } from './describe-retry.ts'
import { findRetryJob, insertRetryJob, requireRoomForRetryJob } from './retry-store.ts'
import type { StoredFilters } from './stored-filters.ts'

interface Prepared {
  filters: StoredFilters
  total: Total
}

/** Counts the items that may be retried, or makes a job that retries them. */
export const createRetry: Handler<Context, typeof contract> = idempotent({
  async prepare({ db, blindIndex }, { body, principal }): Promise<Prepared> {
    const { dry_run: _, recipient, recipient_token, from, to, ...columns } = body
    const times = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined }
    const filter = readFilter(blindIndex, principal.tenant_id, { ...columns, ...times, recipient, recipient_token })
    const filters: StoredFilters = {
      ...columns,
      ...(filter.recipientIndex === undefined
        ? {}
        : { recipient_index: filter.recipientIndex, recipient_masked: masked(recipient, filter.recipientIndex) }),
      ...(times.from ? { from: times.from.toISOString() } : {}),
      ...(times.to ? { to: times.to.toISOString() } : {}),
    }
    return { filters, total: await countItems(db, { ...filter, retryable: true }) }
  },
  async effect({ config }, request, run, { filters, total: { total, capped } }) {
    const { body, principal } = request
    const counted = { count: total, count_capped: capped }
    if (body.dry_run) return new Reply(200, JSON.stringify(counted))
    const id = newId('retry')
    const { tenant_id, subject } = principal
    await requireRoomForRetryJob(run, tenant_id, config.RETRY_JOBS_PER_TENANT)
    await insertRetryJob(run, { id, tenant_id, requested_by: subject, filters, ...counted })
    const job = describeRetry((await findRetryJob(run, tenant_id, id))!)
    const entry = auditEntry({ request, action: 'activity_retry.created', resourceId: id, before: null, after: job })
    if (entry) await appendAuditEntry(run, entry)
    return new Reply(202, JSON.stringify(job))
  },
  // It wakes the scheduler too.
  after: ({ wakeOutbox }) => wakeOutbox(),
})

/** The filter of a stored job: what may be retried, and was there when the job was made. */
export function filterOf(tenantId: Id<'ten'>, filters: StoredFilters, createdAt: Date): ActivityFilter {
  const {
    channel,
    status,
    mode,
    application_id,
    event_key,
    recipient_index,
    locale,
    broadcast_id,
    digest_id,
    from,
    to,
  } = filters
  const end = new Date(createdAt.getTime() + 1)
  return {
    ...{ tenantId, channel, status, mode, locale, retryable: true },
    applicationId: application_id,
    eventKey: event_key,
    broadcastId: broadcast_id,
    digestId: digest_id,
    recipientIndex: recipient_index,
    from: from ? new Date(from) : undefined,
    to: to && new Date(to) < end ? new Date(to) : end,
  }
}

/** Of a token only the tag is known, and a part of a user id may be all that matters. */
function masked(recipient: string | undefined, index: string): string {
  if (recipient !== undefined && mailboxPattern.test(recipient)) return maskEmail(recipient)
  if (recipient !== undefined && e164Pattern.test(recipient)) return maskPhone(recipient)
  return `*** ${recipientTag(index) ?? ''}`.trim()
}
