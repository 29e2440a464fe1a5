import { z } from 'zod'
import { defineEvent } from './event.ts'
import { defineHandOff, HandOffReport } from './hand-off.ts'
import { idSchema } from './ids.ts'
import { EventTime } from './text.ts'
import { DisabledReason } from './webhooks.ts'

/** A notification of the channel `webhook` as dispatch stores it. */
export const WebhookPayload = z.object({
  channel: z.literal('webhook'),
  to: z.string(),
  /** The filled template of the event, or the request's own content. */
  data: z.record(z.string(), z.json()).meta({ example: { table: '7' } }),
})
export type WebhookPayload = z.output<typeof WebhookPayload>

/** A notification of the channel `webhook` is handed over to be delivered. */
export const webhookRequested = defineHandOff('dispatch.webhook.{lane}.requested', WebhookPayload)

/** The result of a hand-off on the channel `webhook`. */
export const webhookReported = defineEvent({
  publisher: 'webhook-delivery',
  subject: 'webhooks.notification.reported',
  schema: HandOffReport,
})

/** A webhook subscription has a new state. `deleted` ends it, or a creation that was not completed. */
export const subscriptionChanged = defineEvent({
  publisher: 'webhook-delivery',
  subject: 'webhooks.subscription.changed',
  schema: z.object({
    subscription_id: idSchema('whsub'),
    tenant_id: idSchema('ten'),
    application_id: idSchema('app'),
    /** With `deleted`: the provider that signed for it alone. */
    provider_id: idSchema('prov').optional(),
    status: z.enum(['active', 'disabled', 'deleted']),
    reason: DisabledReason.nullable(),
    /** The operator, or the API key, that asked for it; null when the service itself did. */
    actor: z.string().nullable(),
    revision: z.int().min(1),
    occurred_at: EventTime,
  }),
})
export type SubscriptionChange = z.output<typeof subscriptionChanged.schema>

/** An attempt to deliver a webhook has failed. `failed`: it is tried again; `exhausted`: it is not. */
export const deliveryAttempted = defineEvent({
  publisher: 'webhook-delivery',
  subject: 'webhooks.delivery.{outcome}',
  schema: z.object({
    outcome: z.enum(['failed', 'exhausted']),
    delivery_id: idSchema('whdel'),
    tenant_id: idSchema('ten'),
    application_id: idSchema('app'),
    subscription_id: idSchema('whsub').nullable(),
    notification_id: idSchema('notif').nullable(),
    attempt: z.int().min(1),
    /** HTTP status of the answer, if there was one. */
    status: z.int().nullable(),
    /** Why it failed, without personal data. */
    error: z.string().nullable(),
    occurred_at: EventTime,
  }),
})
