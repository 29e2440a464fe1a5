import { type notificationChanged, sendRequested } from '@notify/contracts'
import { messagesOf, type OutboxMessage, type Outgoing } from '@notify/database'
import type { z } from 'zod'
import type { ByHandOff, Channels } from '../channels/channel.ts'
import { handOffMessages } from '../hand-offs/hand-off-events.ts'
import type { NewNotification } from './accept-item.ts'

/** The messages with the work that new notifications are. Left out: those for later, and those that the commit puts in order. */
export function workMessages(
  channels: Channels,
  batch: readonly NewNotification[],
  createdAt: string,
): OutboxMessage[] {
  const due = batch.filter(({ sendAt }) => !sendAt)
  return [...Map.groupBy(due, ({ channel }) => channels[channel]!.delivery)].flatMap(([delivery, group]) =>
    delivery.by === 'carrier' ? messagesOf(sendRequested, group.map(workOf)) : handOffsOf(delivery, group, createdAt),
  )
}

function handOffsOf(delivery: ByHandOff, group: readonly NewNotification[], createdAt: string): OutboxMessage[] {
  return delivery.keepsOrder ? [] : handOffMessages(delivery, group, createdAt)
}

function workOf({ candidate, lane, channel }: NewNotification): Outgoing<z.output<typeof sendRequested.schema>> {
  const { notificationId: notification_id, traceparent } = candidate
  return { event: { notification_id, lane, channel }, traceparent }
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
