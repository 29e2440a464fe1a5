import { createHash } from 'node:crypto'
import { type HandOff, type HandOffReport, newId, type WebhookPayload } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import type { Config } from '../config.ts'
import { targetAad } from '../db/aad.ts'
import type { NewDelivery } from '../deliveries/insert-deliveries.ts'
import { bodyOf, messageIdOf } from '../deliveries/message-body.ts'
import { sealBody } from '../deliveries/seal-body.ts'

/** The type of a message that was requested without an event. */
const plainType = 'notification'

export interface DeliveryContext {
  config: Config
  secrets: { keyRing: KeyRing }
}

/** A hand-off with its decrypted payload. */
export interface OpenedHandOff {
  handOff: HandOff
  payload: WebhookPayload
  traceparent: string | undefined
}

/** How long a hand-off waits for its provider, which dispatch knows earlier than this service. */
const providerGraceMs = 10_000

/** The delivery of a hand-off, or the report that there can be none. @throws Error when the hand-off must be redelivered */
export function deliveryOf(
  { config, secrets }: DeliveryContext,
  { handOff, payload: { to, data }, traceparent }: OpenedHandOff,
  providerId: `prov_${string}` | undefined,
): NewDelivery | HandOffReport {
  const { notification_id, retry_count, tenant_id, application_id, mode } = handOff
  const refusal = (failure_reason: string) =>
    ({ notification_id, retry_count, status: 'failed', failure_reason, retryable: true }) as const
  const url = mode === 'live' ? to : config.WEBHOOK_SANDBOX_URL
  if (url === undefined) return refusal('No sandbox is configured for what test keys send')
  if (providerId === undefined) {
    if (Date.now() - Date.parse(handOff.created_at) < providerGraceMs)
      throw new Error('no webhook provider is known yet')
    return refusal('No webhook provider is configured')
  }
  const id = newId('whdel')
  const type = handOff.event_key ?? plainType
  const message = messageIdOf({ id, subscription_id: null, notification_id })
  const body = bodyOf({ id: message, type, application_id, data })
  return {
    id,
    tenant_id,
    application_id,
    endpoint_id: endpointOf(tenant_id, url),
    subscription_id: null,
    notification_id,
    retry_count,
    event_type: type,
    topic: handOff.topic ?? null,
    provider_id: providerId,
    url: secrets.keyRing.encrypt(url, targetAad(tenant_id, id)),
    body: sealBody(secrets.keyRing, { tenant_id, id }, body).body,
    plain: { url, body },
    traceparent: traceparent ?? null,
    recipient_index: null,
  }
}

/** A tenant's sends to one host and port share an endpoint. */
function endpointOf(tenantId: string, url: string): string {
  return `origin_${createHash('sha256')
    .update(`${tenantId} ${new URL(url).host}`)
    .digest('base64url')}`
}
