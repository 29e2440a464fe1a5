import { createHash } from 'node:crypto'
import { type HandOff, type HandOffReport, newId, type WebhookPayload } from '@notify/contracts'
import type { Context } from '../context.ts'
import { bodyPlace, targetPlace } from '../db/places.ts'
import type { NewDelivery } from '../deliveries/delivery-store.ts'
import { bodyOf, messageIdOf } from '../deliveries/message-body.ts'

/** The type of a message that no event was named for. */
const plainType = 'notification'

/** The delivery of a hand-off, or why there can be none. */
export function deliveryOf(
  { config, secrets }: Pick<Context, 'config' | 'secrets'>,
  handOff: HandOff,
  { to, data }: WebhookPayload,
  providerId: string | undefined,
): NewDelivery | HandOffReport {
  const { notification_id, retry_count, tenant_id, application_id, mode } = handOff
  const refusal = (failure_reason: string) =>
    ({ notification_id, retry_count, status: 'failed', failure_reason, retryable: true }) as const
  const url = mode === 'live' ? to : config.WEBHOOK_SANDBOX_URL
  if (url === undefined) return refusal('No sandbox is configured for what test keys send')
  if (providerId === undefined) return refusal('No webhook provider is configured')
  const id = newId('whdel')
  const type = handOff.event_key ?? plainType
  const message = messageIdOf({ id, subscription_id: null, notification_id })
  return {
    id,
    tenant_id,
    application_id,
    endpoint_id: endpointOf(tenant_id, url),
    subscription_id: null,
    notification_id,
    retry_count,
    event_type: type,
    provider_id: providerId,
    url: secrets.keyRing.encrypt(url, targetPlace(tenant_id, id)),
    body: secrets.keyRing.encrypt(bodyOf({ id: message, type, application_id, data }), bodyPlace(tenant_id, id)),
    traceparent: null,
  }
}

/** All that a tenant sends to one host and port is one queue. */
function endpointOf(tenantId: string, url: string): string {
  return `origin_${createHash('sha256')
    .update(`${tenantId} ${new URL(url).host}`)
    .digest('base64url')}`
}
