import { type ActivityAttempt, type RouteReply, readWebhookAttempts } from '@notify/contracts'
import type { AttemptReader } from './attempt-reader.ts'

type WebhookAttempt = RouteReply<typeof readWebhookAttempts>['attempts'][number]

export const webhookAttempts: AttemptReader = async (context, ask, of) => {
  const { attempts } = await context.peers('webhook-delivery').call(readWebhookAttempts, { ...ask, body: of })
  return attempts.map((attempt) => attemptOf(of.notification_id, attempt))
}

/** Converts a receiver's answer to the form of a carrier's. */
function attemptOf(
  notification_id: `notif_${string}`,
  { delivery_id, number, provider_id, started_at, finished_at, status, error, is_final }: WebhookAttempt,
): ActivityAttempt {
  const accepted = status !== null && status >= 200 && status < 300
  const rejected = is_final ? 'rejected_permanent' : 'rejected_retryable'
  return {
    attempt_id: `${delivery_id}.${number}`,
    ...{ notification_id, delivery_id, number, provider_id, provider_name: null, started_at, finished_at },
    outcome: finished_at === null ? null : accepted ? 'accepted' : rejected,
    ambiguous: false,
    provider_code: status === null ? null : String(status),
    provider_message: error,
    provider_message_id: null,
    receipts: [],
  }
}
