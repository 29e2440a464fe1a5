import type { NotificationAccepted } from '@notify/contracts'
import type { Candidate } from './accept-item.ts'

/** The answer to a request that is accepted, as JSON text. */
export function acceptedText(
  { notificationId, request }: Candidate,
  delivery_status: NotificationAccepted['delivery_status'] = 'queued',
): string {
  const answer: NotificationAccepted = {
    status: 'accepted',
    notification_id: notificationId,
    channel: request.channel,
    delivery_status,
  }
  return JSON.stringify(answer)
}
