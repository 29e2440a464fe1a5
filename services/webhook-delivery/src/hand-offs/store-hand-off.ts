import { createHash } from 'node:crypto'
import { type HandOff, type HandOffReport, newId, webhookReported, webhookRequested } from '@notify/contracts'
import { enqueueEvents } from '@notify/database'
import { openEvent } from '@notify/messaging'
import { coalesce } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { bodyPlace, targetPlace } from '../db/places.ts'
import { insertDeliveries, type NewDelivery } from '../deliveries/delivery-store.ts'
import { bodyOf, messageIdOf } from '../deliveries/message-body.ts'
import { chooseProviders } from '../providers/provider-store.ts'
import { findHandOffs, reportOf } from './hand-off-store.ts'

/** Stores what dispatch hands over, once, and reports its state; a repetition is answered by the state again. */
export type StoreHandOff = (handOff: HandOff) => Promise<void>

/** The type of a message that no event was named for. */
const plainType = 'notification'

export function createHandOffStore(context: Omit<Context, 'egress'>): StoreHandOff {
  const { db, metrics } = context
  return coalesce<HandOff, undefined>({
    maxBatch: 128,
    maxInFlight: 2,
    minIntervalMs: 10,
    async run(handOffs) {
      const providers = await chooseProviders(db.run, handOffs)
      const prepared = handOffs.map((one) => prepare(context, one, providers.get(one.application_id)))
      const deliveries = prepared.filter((one) => 'body' in one)
      const refusals = prepared.filter((one) => 'failure_reason' in one)
      const count = await db.transaction(async (run) => {
        const stored = await insertDeliveries(run, deliveries)
        const rows = await findHandOffs(run, deliveries)
        const reports = [...rows.map(reportOf), ...refusals]
        await enqueueEvents(
          run,
          webhookReported,
          reports.map((event) => ({ event })),
        )
        return stored
      })
      metrics.stored('hand-off', count)
      context.wakeOutbox()
      if (count > 0) context.wakeEndpoints()
      return handOffs.map(() => undefined)
    },
  })
}

/** The delivery of a hand-off, or why there can be none. */
function prepare(
  { config, secrets }: Pick<Context, 'config' | 'secrets'>,
  handOff: HandOff,
  providerId: string | undefined,
): NewDelivery | HandOffReport {
  const { notification_id, retry_count, tenant_id, application_id, mode } = handOff
  const refusal = (failure_reason: string) =>
    ({ notification_id, retry_count, status: 'failed', failure_reason, retryable: true }) as const
  const { to, data } = openEvent(secrets.keyRing, webhookRequested, handOff)
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
