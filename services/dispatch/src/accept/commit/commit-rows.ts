import { type Id, newId, type notificationChanged } from '@notify/contracts'
import type { Outgoing } from '@notify/database'
import type { z } from 'zod'
import type { Joined } from '../../catalogue/digests/digest-item.ts'
import { expiryOf, type NewNotification } from '../accept-item.ts'

/** Whether a new notification waits: for its time, or for its digest. */
export const isForLater = ({ sendAt, joined }: Pick<NewNotification, 'sendAt' | 'joined'>): boolean =>
  sendAt !== undefined || joined !== undefined

const firstStatusOf = (one: Pick<NewNotification, 'sendAt' | 'joined'>) =>
  isForLater(one) ? ('scheduled' as const) : ('queued' as const)

function rowOf(
  {
    candidate,
    channel,
    lane,
    recipientMasked,
    recipientIndex,
    payload,
    copies,
    files,
    metadata,
    sendAt,
    topic,
    userIndex,
    joined,
    credits,
    category,
    locale,
    response,
  }: NewNotification,
  createdAt: string,
) {
  const { notificationId, principal, request, traceparent, idempotency, terms } = candidate
  return {
    id: notificationId,
    tenant_id: principal.tenant_id,
    application_id: principal.application_id,
    channel,
    lane,
    mode: principal.mode,
    event_key: request.event_key,
    topic,
    recipient_masked: recipientMasked,
    recipient_index: recipientIndex,
    user_index: userIndex,
    broadcast_id: candidate.broadcastId,
    digest_id: candidate.digestId,
    ...(joined && digestRowOf(joined)),
    payload: payload.toString('base64'),
    copies: copies?.map((copy, position) => ({ ...copy, position })),
    files: files?.toString('base64'),
    metadata: metadata?.toString('base64'),
    credits,
    category,
    traceparent,
    status: firstStatusOf({ sendAt, joined }),
    send_at: sendAt,
    expires_at: expiryOf(candidate),
    erase_when_terminal: terms?.eraseWhenTerminal ?? false,
    created_at: createdAt,
    locale,
    requested_locale: request.locale,
    ...(idempotency ? { ...idempotency, response } : {}),
  }
}

/** What an item says of the digest that it joins. */
const digestRowOf = ({ key, closesAt, latestAt, show }: Joined) => ({
  ...{ digest_key: key, closes_at: closesAt, latest_at: latestAt, show },
})

/** Notifications as the committing statement reads them. Items of one digest that is to begin name the same new ids. */
export function rowsOf(batch: readonly NewNotification[], createdAt: string) {
  const ids = new Map<string, { new_digest_id: Id<'dig'>; first_digest_id: Id<'dig'> | undefined }>()
  return batch.map((one) => {
    const { joined } = one
    if (!joined) return rowOf(one, createdAt)
    const made = ids.get(joined.key) ?? {
      new_digest_id: newId('dig'),
      first_digest_id: joined.isFirstNow ? newId('dig') : undefined,
    }
    ids.set(joined.key, made)
    return { ...rowOf(one, createdAt), ...made }
  })
}

/** The fact that a new notification is queued, or scheduled: what `factsInto` would make of its row. */
export function factOf(
  {
    candidate,
    lane,
    channel,
    recipientMasked,
    recipientIndex,
    sendAt,
    joined,
    credits,
    category,
    locale,
  }: NewNotification,
  createdAt: string,
): Outgoing<z.output<typeof notificationChanged.schema>> {
  const { notificationId, principal, request, traceparent } = candidate
  const event = {
    notification_id: notificationId,
    tenant_id: principal.tenant_id,
    application_id: principal.application_id,
    mode: principal.mode,
    revision: 1,
    lane,
    channel,
    event_key: request.event_key ?? null,
    status: firstStatusOf({ sendAt, joined }),
    recipient_masked: recipientMasked,
    recipient_index: recipientIndex,
    metadata: null,
    failure_reason: null,
    retryable: false,
    retry_count: 0,
    credits,
    category,
    ...localesOf(locale, request.locale),
    ...(candidate.broadcastId && { broadcast_id: candidate.broadcastId }),
    ...(candidate.digestId && { digest_id: candidate.digestId }),
    created_at: createdAt,
    occurred_at: createdAt,
  }
  return { event, traceparent }
}

/** Absent where nothing is known, as `factSql` leaves them out. */
function localesOf(locale: string | undefined, requested: string | undefined) {
  if (locale === undefined && requested === undefined) return {}
  return { locale: locale ?? null, requested_locale: requested ?? null }
}
