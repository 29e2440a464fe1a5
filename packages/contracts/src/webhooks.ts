import { z } from 'zod'
import { basedOn } from './based-on.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { listQuery, pageOf } from './list.ts'
import { apiKeyOrOperator, defineRoute, NoContent } from './route.ts'
import { Timestamp } from './text.ts'

/** The events that a customer's endpoint may subscribe to. `undelivered` counts as failed. */
export const WebhookEventType = z.enum(['notification.delivered', 'notification.failed', 'preference.changed'])
export type WebhookEventType = z.infer<typeof WebhookEventType>

export const SubscriptionStatus = z.enum(['active', 'disabled'])

/** `operator`: by request; `gone`: the receiver answered 410; `failing`: it failed for days. */
export const DisabledReason = z.enum(['operator', 'gone', 'failing'])
export type DisabledReason = z.infer<typeof DisabledReason>

/** A job that delivers exhausted webhooks again. */
export const WebhookReplay = z
  .object({
    since: Timestamp,
    count: z
      .int()
      .meta({ description: 'Deliveries that were exhausted when the replay was requested, by the times in their ids' }),
    replayed: z.int().meta({ description: 'Deliveries that have been replayed, by their `created_at`' }),
    requested_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookReplay' })

export const WebhookSubscription = z
  .object({
    subscription_id: idSchema('whsub'),
    application_id: idSchema('app'),
    provider_id: idSchema('prov'),
    url: z.string().meta({ description: '`https://unreadable.invalid/` if it cannot be decrypted any more' }),
    events: z.array(WebhookEventType),
    description: z.string(),
    status: SubscriptionStatus,
    disabled_reason: DisabledReason.nullable(),
    failing_since: Timestamp.nullable().meta({
      description: 'The first failure since the last success, or since two days without one that counts',
    }),
    replay: WebhookReplay.nullable().meta({ description: 'The latest replay' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'WebhookSubscription' })
export type WebhookSubscription = z.infer<typeof WebhookSubscription>

/** Bounds of a provider's retry schedule, so that a failing receiver is not called many times at once. */
export const webhookRetryDelays = {
  most: 20,
  longestMs: 7 * 86_400_000,
  /** The least delay from the second one on. */
  leastMs: 1000,
} as const

const SigningSecret = z.string().meta({
  description: 'whsec_ and base64; the HMAC key is the decoded bytes. Shown once.',
})

const Url = z
  .string()
  .min(1)
  .max(8192)
  .meta({ description: 'Public https address', example: 'https://example.com/hook' })
const Events = z
  .array(WebhookEventType)
  .min(1, 'must name at least one event')
  .transform((events) => [...new Set(events)])
  .meta({ description: 'Events that are sent to the address' })
const Description = z.string().max(500)

const auth = apiKeyOrOperator('webhooks:manage', 'webhooks:manage')
const params = z.object({ subscription_id: givenId('whsub') })
const path = '/api/v1/webhook-subscriptions/:subscription_id'

export const listWebhookSubscriptions = defineRoute({
  name: 'listWebhookSubscriptions',
  service: 'webhook-delivery',
  method: 'GET',
  path: '/api/v1/webhook-subscriptions',
  summary:
    'List webhook subscriptions, newest first: for API keys those of the application, for operators those of the tenant',
  auth,
  query: z.strictObject({ application_id: idSchema('app').optional(), ...listQuery }),
  responses: {
    200: pageOf(WebhookSubscription).meta({ id: 'WebhookSubscriptionList' }),
  },
  errors: [],
})

export const createWebhookSubscription = defineRoute({
  name: 'createWebhookSubscription',
  service: 'webhook-delivery',
  method: 'POST',
  path: '/api/v1/webhook-subscriptions',
  summary: 'Create a webhook subscription. Without provider_id the response contains a new signing secret, shown once.',
  auth,
  body: z
    .strictObject({
      application_id: idSchema('app').optional().meta({ description: 'Required for operators' }),
      url: Url,
      events: Events,
      provider_id: idSchema('prov').optional().meta({ description: 'Webhook provider whose secret signs' }),
      description: Description.default(''),
    })
    .meta({ id: 'NewWebhookSubscription' }),
  confidential: true,
  waits: true,
  responses: { 201: WebhookSubscription.extend({ secret: SigningSecret.optional() }) },
  errors: ['destination_not_allowed', 'subscription_limit_reached', ...idempotencyErrors],
})

export const getWebhookSubscription = defineRoute({
  name: 'getWebhookSubscription',
  service: 'webhook-delivery',
  method: 'GET',
  path,
  summary: 'Retrieve a webhook subscription',
  auth,
  params,
  responses: { 200: WebhookSubscription },
  errors: ['not_found'],
})

export const changeWebhookSubscription = defineRoute({
  name: 'changeWebhookSubscription',
  service: 'webhook-delivery',
  method: 'PATCH',
  path,
  summary: 'Change, disable or enable a webhook subscription',
  auth,
  params,
  query: basedOn,
  body: z
    .strictObject({
      url: Url.optional(),
      events: Events.optional(),
      provider_id: idSchema('prov').optional().meta({
        description: 'Another webhook provider whose secret signs, for a subscription that was created with one',
      }),
      description: Description.optional(),
      status: SubscriptionStatus.optional(),
    })
    .meta({ id: 'WebhookSubscriptionChange' }),
  responses: { 200: WebhookSubscription },
  errors: ['not_found', 'edit_conflict', 'destination_not_allowed'],
})

export const deleteWebhookSubscription = defineRoute({
  name: 'deleteWebhookSubscription',
  service: 'webhook-delivery',
  method: 'DELETE',
  path,
  summary: 'Delete a webhook subscription with its deliveries',
  auth,
  params,
  responses: { 204: NoContent },
  errors: ['not_found'],
})

export const rotateWebhookSecret = defineRoute({
  name: 'rotateWebhookSecret',
  service: 'webhook-delivery',
  method: 'POST',
  path: `${path}/rotate-secret`,
  summary: 'Rotate the signing secret. The previous one also signs for 24 hours; at most three sign at a time.',
  auth,
  params,
  confidential: true,
  waits: true,
  responses: {
    200: z
      .object({
        subscription_id: idSchema('whsub'),
        provider_id: idSchema('prov'),
        secret: SigningSecret,
        previous_valid_until: Timestamp,
      })
      .meta({ id: 'WebhookSecret' }),
  },
  errors: ['not_found', 'secret_of_provider', ...idempotencyErrors],
})

export const testWebhookSubscription = defineRoute({
  name: 'testWebhookSubscription',
  service: 'webhook-delivery',
  method: 'POST',
  path: `${path}/test`,
  summary: 'Send a test event to the subscription',
  auth,
  params,
  responses: { 202: z.object({ delivery_id: idSchema('whdel') }).meta({ id: 'WebhookTest' }) },
  errors: ['not_found', 'subscription_disabled', ...idempotencyErrors],
})
