import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { DispatchRequest } from './dispatch-request.ts'
import { idempotencyErrors } from './errors.ts'
import { defineEvent } from './event.ts'
import { givenId, idSchema } from './ids.ts'
import { attachedLength } from './mail-attachments.ts'
import { KeyMode } from './permissions.ts'
import { ProblemBody } from './problem.ts'
import { apiKey, defineRoute } from './route.ts'
import { SuppressionReason } from './suppressions.ts'
import { EventTime, Timestamp } from './text.ts'

/** Delivery states. A receipt never lowers the rank: queued < sent < delivered, undelivered, failed. */
export const DeliveryStatus = z.enum(['scheduled', 'queued', 'sent', 'delivered', 'undelivered', 'failed', 'cancelled'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

/** Lanes are queued separately, so that a campaign never delays a code. */
export const Lane = z.enum(['otp', 'transactional', 'bulk'])
export type Lane = z.infer<typeof Lane>

/** Another recipient of an email. */
const Copy = z.object({ field: z.enum(['cc', 'bcc']), recipient_masked: z.string() })

export const NotificationAccepted = z
  .object({
    status: z.literal('accepted'),
    notification_id: idSchema('notif'),
    channel: Channel,
    delivery_status: z.enum(['queued', 'scheduled']),
    left_out: z
      .array(Copy.extend({ suppressed: SuppressionReason }))
      .optional()
      .meta({
        description: 'Recipients of `cc` and `bcc` that are suppressed and receive no copy; absent if there are none',
      }),
  })
  .meta({ id: 'NotificationAccepted' })
export type NotificationAccepted = z.infer<typeof NotificationAccepted>

export const createNotification = defineRoute({
  name: 'createNotification',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/notifications',
  summary: 'Send a notification',
  auth: apiKey('notifications:send'),
  body: DispatchRequest,
  maxBodyBytes: 10 * 1024 * 1024,
  exempt: { field: 'attachments', bytesOf: attachedLength },
  responses: { 202: NotificationAccepted },
  errors: [
    'event_not_found',
    'channel_not_allowed',
    'invalid_recipient',
    'recipient_unknown',
    'recipient_suppressed',
    'topic_not_found',
    'topic_required',
    'recipient_opted_out',
    'WHATSAPP_OPT_IN_REQUIRED',
    'whatsapp_opt_in_required',
    'provider_not_configured',
    'domain_not_verified',
    'attachment_not_available',
    'template_not_approved',
    'template_variable_missing',
    ...idempotencyErrors,
  ],
})

/** The result of one request of a batch: the response it would have had on its own. */
export const BatchResult = z.union([
  NotificationAccepted,
  z.object({ error: ProblemBody.omit({ request_id: true, type: true }) }),
])
export type BatchResult = z.infer<typeof BatchResult>

/** Maximum requests of one batch. */
export const maxBatchRequests = 100

export const createNotificationBatch = defineRoute({
  name: 'createNotificationBatch',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/notifications/batch',
  summary: 'Send up to 100 notifications. Each is accepted or refused on its own; results are in request order.',
  auth: apiKey('notifications:send'),
  body: z.strictObject({
    requests: z
      .array(z.unknown().meta({ allOf: [{ $ref: '#/components/schemas/DispatchRequest' }] }))
      .min(1, 'must have at least one request')
      .max(maxBatchRequests, `must have at most ${maxBatchRequests} requests`),
  }),
  judgesParts: true,
  waits: true,
  responses: { 202: z.object({ results: z.array(BatchResult) }).meta({ id: 'NotificationBatch' }) },
  errors: idempotencyErrors,
})

export const cancelNotification = defineRoute({
  name: 'cancelNotification',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/notifications/:notification_id/cancel',
  summary: 'Cancel a scheduled notification',
  auth: apiKey('notifications:send'),
  params: z.object({ notification_id: givenId('notif') }),
  responses: {
    200: z
      .object({
        notification_id: idSchema('notif'),
        delivery_status: z.literal('cancelled'),
        cancelled_at: Timestamp,
      })
      .meta({ id: 'NotificationCancelled' }),
  },
  errors: ['not_found', 'not_cancellable', ...idempotencyErrors],
})

/** The outcome of an attempt; `unknown` when the carrier may or may not have accepted the message. */
export const AttemptOutcome = z.enum(['accepted', 'rejected_permanent', 'rejected_retryable', 'unknown'])
export type AttemptOutcome = z.infer<typeof AttemptOutcome>

export const Attempt = z.object({
  attempt_id: idSchema('att'),
  number: z.int(),
  provider_id: z.string().nullable(),
  started_at: Timestamp,
  finished_at: Timestamp.nullable(),
  outcome: AttemptOutcome.nullable(),
  ambiguous: z
    .boolean()
    .meta({ description: 'Whether the carrier may have accepted the message without confirming it' }),
  provider_code: z.string().nullable(),
  provider_message: z.string().nullable(),
  provider_message_id: z.string().nullable().meta({
    description: "The carrier's id of the message. In ids of WhatsApp `x` replaces the digits of the phone number",
  }),
})

/** The `retryable` of a single notification, which is read when it is shown. */
export const RetryableNow = z.boolean().meta({
  description:
    'Whether a retry would be accepted now: not once the recipient is suppressed or has opted out, the notification has expired, or its broadcast was cancelled',
})

export const NotificationState = z
  .object({
    notification_id: idSchema('notif'),
    channel: Channel,
    event_key: z.string().nullable(),
    delivery_status: DeliveryStatus,
    recipient_masked: z.string(),
    failure_reason: z.string().nullable(),
    retryable: RetryableNow,
    retry_count: z.int(),
    credits: z.int(),
    digest_id: idSchema('dig').nullable().meta({
      description: 'The digest that the notification is an item of, or the message of',
    }),
    locale: z.string().nullable().meta({ description: 'Language of its text; null where it is not known' }),
    requested_locale: z.string().nullable().meta({ description: 'The locale of the request' }),
    metadata: z.record(z.string(), z.string()).nullable(),
    send_at: Timestamp.nullable().meta({ description: 'As scheduled, or the end of the quiet hours of its user' }),
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    copies: z
      .array(
        Copy.extend({
          suppressed: SuppressionReason.nullable(),
          refused: z
            .string()
            .nullable()
            .meta({ description: "The carrier's reason for refusing this copy while it accepted the message" }),
        }),
      )
      .optional()
      .meta({
        description: 'Recipients of `cc` and `bcc`. One that is suppressed is left out. Absent if there are none',
      }),
    read_at: Timestamp.nullable().meta({ description: 'When the carrier first reported that it was read; WhatsApp' }),
    attempts: z.array(Attempt),
  })
  .meta({ id: 'Notification' })

export const getNotification = defineRoute({
  name: 'getNotification',
  service: 'dispatch',
  method: 'GET',
  path: '/api/v1/notifications/:notification_id',
  summary: 'Retrieve a notification and its attempts',
  auth: apiKey('notifications:read'),
  params: z.object({ notification_id: givenId('notif') }),
  responses: { 200: NotificationState },
  errors: ['not_found'],
})

/** The complete, masked state of a notification; `revision` grows with each change. */
export const NotificationFact = z.object({
  notification_id: idSchema('notif'),
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  /** Mode of the API key. */
  mode: KeyMode,
  revision: z.int().min(1),
  channel: Channel,
  event_key: z.string().nullable().default(null),
  status: DeliveryStatus,
  recipient_masked: z.string(),
  recipient_index: z.string(),
  /** In a final state: the caller's metadata, encrypted by dispatch, in base64. */
  metadata: z.string().nullable().default(null),
  failure_reason: z.string().nullable().default(null),
  retryable: z.boolean(),
  retry_count: z.int(),
  /** Whether it was `failed` or `undelivered` before, since its acceptance or last retry: a late report changed that. */
  after_failure: z.boolean().optional(),
  /** What it costs when it is sent, and the category of its WhatsApp template. */
  credits: z.int().min(0),
  category: z.string().nullable().default(null),
  /** The digits that tell the country of a phone number, and the parts of an SMS; absent for other recipients. */
  country_prefix: z.string().nullable().optional(),
  segments: z.int().min(1).nullable().optional(),
  /** The language of its text and the one asked for; absent where neither is known. */
  locale: z.string().nullable().optional(),
  requested_locale: z.string().nullable().optional(),
  /** The broadcast that it is part of; absent in others. */
  broadcast_id: idSchema('bc').optional(),
  /** The digest that it is an item of, or that it is; absent in others. */
  digest_id: idSchema('dig').optional(),
  created_at: EventTime,
  occurred_at: EventTime,
})
export type NotificationFact = z.output<typeof NotificationFact>

/**
 * The state of a notification changed. Lane otp is consumed by otp and usage, the others by the activity and webhook-delivery.
 * That a code is queued is not published, because otp and usage do not use it.
 */
export const notificationChanged = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.notification.{lane}.{channel}.{status}',
  schema: NotificationFact.extend({ lane: Lane }),
})

/** Lanes listed in the activity. A code belongs to its `otp_…` item instead. */
export const activityLanes = ['transactional', 'bulk'] as const satisfies readonly Lane[]
