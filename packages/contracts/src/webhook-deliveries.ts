import { z } from 'zod'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { apiKeyOrOperator, defineRoute, operator } from './route.ts'
import { Timestamp, UtcMoment } from './text.ts'
import { WebhookReplay } from './webhooks.ts'

const auth = apiKeyOrOperator('webhooks:manage', 'webhooks:manage')
const params = z.object({ subscription_id: givenId('whsub') })
const path = '/api/v1/webhook-subscriptions/:subscription_id'

/** `exhausted`: no further attempt follows without a replay. */
export const WebhookDeliveryStatus = z.enum(['pending', 'succeeded', 'exhausted'])
export type WebhookDeliveryStatus = z.infer<typeof WebhookDeliveryStatus>

const delivery = {
  delivery_id: idSchema('whdel'),
  subscription_id: idSchema('whsub').nullable().meta({ description: 'null for a notification of the channel webhook' }),
  notification_id: idSchema('notif').nullable(),
  event_type: z.string(),
  status: WebhookDeliveryStatus,
  attempts_made: z.int(),
  last_status: z.int().nullable().meta({ description: 'HTTP status of the latest answer' }),
  last_error: z.string().nullable(),
  next_attempt_at: Timestamp.nullable(),
  created_at: Timestamp,
  finished_at: Timestamp.nullable(),
}

/** A delivery in a list. */
export const WebhookDeliverySummary = z.object(delivery).meta({ id: 'WebhookDeliverySummary' })
export type WebhookDeliverySummary = z.infer<typeof WebhookDeliverySummary>

export const WebhookAttempt = z
  .object({
    number: z.int(),
    started_at: Timestamp,
    finished_at: Timestamp.nullable().meta({
      description: 'null while in progress, or if its outcome is unknown',
    }),
    duration_ms: z.int().nullable(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    response_excerpt: z.string().nullable(),
  })
  .meta({ id: 'WebhookAttempt' })

const WebhookRequest = z.object({
  headers: z.record(z.string(), z.string()).meta({
    description: 'Headers of every attempt; each attempt adds its time and signatures',
    example: { 'content-type': 'application/json', 'x-svc-id': 'msg_01jd3x8qk5w9t2m4v6b8n0p2r4' },
  }),
  body: z.string().nullable().meta({
    description:
      'Byte for byte as it was signed, but user_id or address of a preference.changed is masked; null for a send by the channel webhook, whose content POST /activity/{id}/content shows',
    example: '{"type":"notification.delivered"}',
  }),
})

export const WebhookDelivery = z
  .object({
    ...delivery,
    request: WebhookRequest.nullable().meta({ description: 'null if it cannot be decrypted any more' }),
    attempts: z.array(WebhookAttempt).meta({ description: 'The newest 100, in their order' }),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const listWebhookDeliveries = defineRoute({
  name: 'listWebhookDeliveries',
  service: 'webhook-delivery',
  method: 'GET',
  path: `${path}/deliveries`,
  summary: 'List the deliveries of a subscription, newest first',
  auth,
  params,
  query: z.strictObject({ status: WebhookDeliveryStatus.optional(), ...listQuery }),
  responses: {
    200: pageOf(WebhookDeliverySummary).meta({ id: 'WebhookDeliveryList' }),
  },
  errors: ['not_found'],
})

export const replayWebhookDeliveries = defineRoute({
  name: 'replayWebhookDeliveries',
  service: 'webhook-delivery',
  method: 'POST',
  path: `${path}/replay`,
  summary: 'Replay all deliveries exhausted since a given time, in the background at a limited rate',
  auth,
  params,
  body: z
    .strictObject({
      since: UtcMoment,
      dry_run: z.boolean().default(false).meta({ description: 'Returns the count and replays nothing' }),
    })
    .meta({ id: 'WebhookReplayRequest' }),
  responses: {
    200: z.object({ count: z.int() }).meta({ id: 'WebhookReplayCount' }),
    202: WebhookReplay,
  },
  errors: ['not_found', 'subscription_disabled', ...idempotencyErrors],
})

const deliveryParams = z.object({ delivery_id: givenId('whdel') })

export const getWebhookDelivery = defineRoute({
  name: 'getWebhookDelivery',
  service: 'webhook-delivery',
  method: 'GET',
  path: '/api/v1/webhook-deliveries/:delivery_id',
  summary: 'Retrieve a webhook delivery with its newest attempts',
  auth: operator('webhooks:manage'),
  params: deliveryParams,
  responses: { 200: WebhookDelivery },
  errors: ['not_found'],
})

export const replayWebhookDelivery = defineRoute({
  name: 'replayWebhookDelivery',
  service: 'webhook-delivery',
  method: 'POST',
  path: '/api/v1/webhook-deliveries/:delivery_id/replay',
  summary:
    'Replay a finished delivery under the same id, also one that has arrived. The state of its notification stays.',
  auth: operator('webhooks:manage'),
  params: deliveryParams,
  responses: { 202: WebhookDeliverySummary },
  errors: ['not_found', 'not_replayable', 'subscription_disabled', ...idempotencyErrors],
})
