import { z } from 'zod'
import { ActivityItem } from './activity.ts'
import { ReceiptStatus } from './callbacks.ts'
import { Channel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { Attempt, AttemptOutcome, DeliveryStatus, RetryableNow } from './notifications.ts'
import { defineRoute, operator, service } from './route.ts'
import { Timestamp } from './text.ts'

/** A carrier's report on an attempt. */
const AttemptReceipt = z.object({ status: ReceiptStatus, received_at: Timestamp })

export const ActivityAttempt = z
  .object({
    attempt_id: z.string(),
    notification_id: idSchema('notif').meta({
      description: 'The message of the attempt; a code has one message for each send',
    }),
    delivery_id: idSchema('whdel').nullable().meta({
      description: 'The delivery of a send by the channel webhook, which webhook-deliveries shows and replays',
    }),
    number: z.int(),
    provider_id: z.string().nullable(),
    provider_name: z.string().nullable(),
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
    outcome: AttemptOutcome.nullable().meta({ description: 'null while in progress' }),
    ambiguous: z.boolean(),
    provider_code: z
      .string()
      .nullable()
      .meta({ description: "The carrier's code, or the HTTP status of a webhook's answer" }),
    provider_message: z.string().nullable(),
    provider_message_id: z.string().nullable().meta({
      description: "The carrier's id of the message. In ids of WhatsApp `x` replaces the digits of the phone number",
    }),
    receipts: z
      .array(AttemptReceipt)
      .nullable()
      .meta({ description: "The carrier's reports, kept for 7 days; null when they cannot be read at the moment" }),
  })
  .meta({ id: 'ActivityAttempt' })
export type ActivityAttempt = z.infer<typeof ActivityAttempt>

/** The details of a code's item besides its messages; never the code. */
const ActivityCode = z.object({
  expires_at: Timestamp,
  verified_at: Timestamp.nullable(),
  attempts_remaining: z.int(),
  resends_remaining: z.int(),
})

export const ActivityDetail = ActivityItem.extend({
  application_id: idSchema('app'),
  updated_at: Timestamp,
  retryable: RetryableNow,
  trace_id: z.string().nullable().meta({ description: 'W3C trace id of the request that sent it' }),
  attempts: z
    .array(ActivityAttempt)
    .meta({ description: 'Oldest first. In-app notifications have none: they are delivered when they are stored.' }),
  otp: ActivityCode.nullable().meta({ description: 'null for notifications, and for codes deleted after 30 days' }),
}).meta({ id: 'ActivityDetail' })

export const getActivity = defineRoute({
  name: 'getActivity',
  service: 'gateway',
  method: 'GET',
  path: '/api/v1/activity/:id',
  summary: 'Retrieve an activity item with its delivery attempts',
  auth: operator('activity:read'),
  params: z.object({ id: z.string() }),
  responses: { 200: ActivityDetail },
  errors: ['not_found'],
})

export const readContent = defineRoute({
  name: 'readContent',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/activity/:id/content',
  summary:
    'Read the rendered content of a notification. Each look is recorded in the audit log, but not its repetition under the same Idempotency-Key.',
  auth: operator('content:read'),
  params: z.object({ id: givenId('notif') }),
  confidential: true,
  responses: {
    200: z
      .object({
        notification_id: idSchema('notif'),
        channel: Channel,
        content: z.record(z.string(), z.json()).meta({
          description: 'The content that was sent to the carrier, without recipients, files and the code of a button',
        }),
      })
      .meta({ id: 'SentContent' }),
  },
  errors: ['not_found', ...idempotencyErrors],
})

/*
 * The services that send own the timelines. The gateway reads them by these routes, for items of one tenant.
 */

const auth = service('timelines:read')
const tenant_id = idSchema('ten')

export const readAttempts = defineRoute({
  name: 'readAttempts',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/attempts/read',
  summary: 'The attempts of notifications of a tenant, and whether these may be retried',
  auth,
  body: z.object({ tenant_id, notification_ids: z.array(idSchema('notif')).max(10) }),
  responses: {
    200: z.object({
      notifications: z.array(
        z.object({
          notification_id: idSchema('notif'),
          trace_id: z.string().nullable(),
          retryable: RetryableNow,
          attempts: z.array(Attempt.extend({ provider_name: z.string().nullable() })),
        }),
      ),
    }),
  },
  errors: [],
})

export const readProviders = defineRoute({
  name: 'readProviders',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/attempts/providers',
  summary: 'The provider of the last attempt of notifications of a tenant, and what their price depends on',
  auth,
  body: z.object({ tenant_id, notification_ids: z.array(idSchema('notif')).max(2500) }),
  idempotent: true,
  responses: {
    200: z.object({
      providers: z.array(
        z.object({
          notification_id: idSchema('notif'),
          status: DeliveryStatus,
          category: z.string().nullable(),
          country_prefix: z.string().nullable(),
          segments: z.int().nullable(),
          provider_id: z.string(),
          provider_name: z.string().nullable(),
        }),
      ),
    }),
  },
  errors: [],
})

export const readWebhookAttempts = defineRoute({
  name: 'readWebhookAttempts',
  service: 'webhook-delivery',
  method: 'POST',
  path: '/internal/v1/webhook-attempts/read',
  summary: 'The newest 100 attempts to deliver a notification of the channel webhook, in their order',
  auth,
  body: z.object({ tenant_id, notification_id: idSchema('notif') }),
  responses: {
    200: z.object({
      attempts: z.array(
        z.object({
          delivery_id: idSchema('whdel'),
          number: z.int(),
          provider_id: z.string().nullable(),
          started_at: Timestamp,
          finished_at: Timestamp.nullable(),
          status: z.int().nullable(),
          error: z.string().nullable(),
          /** Whether no retry can help: the receiver is gone, or may not be called. */
          is_final: z.boolean(),
        }),
      ),
    }),
  },
  errors: [],
})

export const readCode = defineRoute({
  name: 'readCode',
  service: 'otp',
  method: 'POST',
  path: '/internal/v1/codes/read',
  summary: "A code's transaction and its messages, without the code",
  auth,
  body: z.object({ tenant_id, transaction_id: idSchema('otp') }),
  responses: {
    200: z.object({ code: ActivityCode.extend({ notification_ids: z.array(idSchema('notif')) }).nullable() }),
  },
  errors: [],
})

export const readCodeMessages = defineRoute({
  name: 'readCodeMessages',
  service: 'otp',
  method: 'POST',
  path: '/internal/v1/codes/messages',
  summary: 'The messages of codes of a tenant, of each code in the order of time',
  auth,
  body: z.object({ tenant_id, transaction_ids: z.array(idSchema('otp')).max(500) }),
  idempotent: true,
  responses: {
    200: z.object({
      messages: z.array(z.object({ transaction_id: idSchema('otp'), notification_id: idSchema('notif') })),
    }),
  },
  errors: [],
})

export const readReceipts = defineRoute({
  name: 'readReceipts',
  service: 'callbacks',
  method: 'POST',
  path: '/internal/v1/receipts/read',
  summary: "The carriers' reports on attempts",
  auth,
  body: z.object({
    tenant_id,
    attempts: z
      .array(
        z.object({
          attempt_id: idSchema('att'),
          /** The account that it was sent through, and the carrier's id of the message; null where unknown. */
          provider_id: z.string().nullable(),
          provider_message_id: z.string().nullable(),
        }),
      )
      .max(500),
  }),
  responses: { 200: z.object({ receipts: z.array(AttemptReceipt.extend({ attempt_id: z.string() })) }) },
  errors: [],
})
