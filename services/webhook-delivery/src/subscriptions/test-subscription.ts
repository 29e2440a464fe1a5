import { type testWebhookSubscription as contract, newId } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { insertDeliveries } from '../deliveries/insert-deliveries.ts'
import { bodyOf, messageIdOf, testType } from '../deliveries/message-body.ts'
import { sealBody } from '../deliveries/seal-body.ts'
import { requireActive, requireSubscription } from './scope.ts'

/** Sends an event that means nothing, so that a receiver can be tried. */
export const testSubscription: Handler<Context, typeof contract> = idempotent({
  async effect({ secrets: { keyRing } }, { params, principal }, run) {
    const row = await requireSubscription(run, principal, params.subscription_id)
    requireActive(row)
    const { tenant_id, application_id, id: subscription_id } = row
    const id = newId('whdel')
    const message = messageIdOf({ id, subscription_id, notification_id: null })
    const body = bodyOf({ id: message, type: testType, application_id, data: { subscription_id } })
    await insertDeliveries(run, [
      {
        id,
        tenant_id,
        application_id,
        endpoint_id: subscription_id,
        subscription_id,
        notification_id: null,
        retry_count: 0,
        event_type: testType,
        provider_id: null,
        url: null,
        ...sealBody(keyRing, { tenant_id, id }, body),
        traceparent: null,
        recipient_index: null,
      },
    ])
    return new Reply(202, JSON.stringify({ delivery_id: id }))
  },
  after({ metrics, wakeEndpoints }) {
    metrics.stored('test', 1)
    wakeEndpoints()
  },
})
