import type { notificationChanged } from '@notify/contracts'
import type { OutboxMessage, Outgoing } from '@notify/database'
import type { z } from 'zod'
import type { Channels } from '../channels/channel.ts'
import type { WokenQueue } from '../deliver/queues/wake-senders.ts'
import { handOffMessages } from '../outcome/hand-offs/hand-off-events.ts'
import type { NewNotification } from './accept-item.ts'

/** The messages that hand new notifications over to other services. Left out: those for later, and those that the commit puts in order. */
export function initialHandOffs(
  channels: Channels,
  batch: readonly NewNotification[],
  createdAt: string,
): OutboxMessage[] {
  const due = batch.filter(({ sendAt }) => !sendAt)
  return [...Map.groupBy(due, ({ channel }) => channels[channel]!.delivery)].flatMap(([delivery, group]) =>
    delivery.by === 'hand-off' && !delivery.keepsOrder ? handOffMessages(delivery, group, createdAt) : [],
  )
}

/** The queue that a new notification is due in; none when another service delivers it, or it is for later. */
export function queueOf(channels: Channels, { candidate, channel, lane, sendAt }: NewNotification): WokenQueue[] {
  if (sendAt || channels[channel]!.delivery.by !== 'carrier') return []
  const { tenant_id, application_id, mode } = candidate.principal
  return [{ tenant_id, application_id, mode, lane, channel }]
}

/** The fact that a new notification is queued, or scheduled: what `factsInto` would make of its row. */
export function factOf(
  { candidate, lane, channel, recipientMasked, recipientIndex, sendAt, credits, category }: NewNotification,
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
    status: sendAt ? ('scheduled' as const) : ('queued' as const),
    recipient_masked: recipientMasked,
    recipient_index: recipientIndex,
    metadata: null,
    failure_reason: null,
    retryable: false,
    retry_count: 0,
    credits,
    category,
    created_at: createdAt,
    occurred_at: createdAt,
  }
  return { event, traceparent }
}
