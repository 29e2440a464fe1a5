import { e164Pattern, mailboxPattern, type WebhookDelivery, type WebhookDeliverySummary } from '@notify/contracts'
import { type KeyRing, maskEmail, maskPhone } from '@notify/privacy'
import { bodyAad, responseAad } from '../db/aad.ts'
import type { AttemptRow, DeliveryRow } from './delivery-store.ts'
import { lastingHeaders, messageIdOf, preferenceType } from './message-body.ts'

/** A delivery as callers see it, without its attempts. */
export function summaryOf(row: DeliveryRow): WebhookDeliverySummary {
  return {
    delivery_id: row.id as `whdel_${string}`,
    subscription_id: row.subscription_id as `whsub_${string}` | null,
    notification_id: row.notification_id as `notif_${string}` | null,
    event_type: row.event_type,
    status: row.status,
    attempts_made: row.attempts,
    last_status: row.last_status,
    last_error: row.last_error,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

/** The request of a delivery, with the body of an event, whose recipient is masked; null if it cannot be decrypted any more. */
export function requestOf(keyRing: KeyRing, row: DeliveryRow): WebhookDelivery['request'] {
  const id = messageIdOf(row)
  const headers = { ...lastingHeaders(row), 'x-svc-id': id, 'webhook-id': id }
  if (row.subscription_id === null) return { headers, body: null }
  try {
    const body = keyRing.decrypt(row.body, bodyAad(row.tenant_id, row.id))
    return { headers, body: row.event_type === preferenceType ? withMask(body) : body }
  } catch {
    return null
  }
}

/** A preference.changed as operators see it: the receiver gets the name of the person. */
function withMask(body: string): string {
  const { data, ...envelope } = JSON.parse(body)
  const names = Object.entries(data).map(([field, value]) => [
    field,
    field === 'address' || field === 'user_id' ? maskName(String(value)) : value,
  ])
  return JSON.stringify({ ...envelope, data: Object.fromEntries(names) })
}

function maskName(name: string): string {
  if (mailboxPattern.test(name)) return maskEmail(name)
  return e164Pattern.test(name) ? maskPhone(name) : '***'
}

/** An attempt as callers see it, its answer decrypted; null if it cannot be decrypted any more. */
export function attemptOf(keyRing: KeyRing, attempt: AttemptRow): WebhookDelivery['attempts'][number] {
  const { number, started_at, finished_at, duration_ms, status, error, response, delivery_id } = attempt
  return {
    number,
    started_at: started_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    duration_ms,
    status,
    error,
    response_excerpt: response && openResponse(keyRing, response, delivery_id),
  }
}

function openResponse(keyRing: KeyRing, response: Buffer, deliveryId: string): string | null {
  try {
    return keyRing.decrypt(response, responseAad(deliveryId))
  } catch {
    return null
  }
}
