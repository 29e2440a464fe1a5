import type { Correlation } from './messages.ts'

/** What travels with an email, and returns in the reports of its carrier. */
export function travellingWith(message: Correlation, more: Record<string, string> = {}): Record<string, string> {
  const { notificationId, attemptId, traceparent, recipientTag } = message
  return {
    notification_id: notificationId,
    attempt_id: attemptId,
    ...more,
    ...(traceparent && { traceparent }),
    ...(recipientTag && { recipient_tag: recipientTag }),
  }
}
