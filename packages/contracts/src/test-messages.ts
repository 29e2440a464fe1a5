import { z } from 'zod'
import { Channel, EventTemplates } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { givenId, idSchema } from './ids.ts'
import { Locale, TimeZone } from './locale.ts'
import { AttemptOutcome } from './notifications.ts'
import { SmsSegments } from './preview.ts'
import { defineRoute, operator } from './route.ts'
import { Timestamp } from './text.ts'

const recipient = z.string().min(1).max(320).meta({
  description:
    'Your own number (E.164) or email address. It must not be suppressed; on WhatsApp it must have opted in.',
})

export const TestMessage = z
  .object({
    is_test: z.literal(true),
    channel: Channel,
    recipient_masked: z.string(),
    locale: z
      .string()
      .nullable()
      .meta({ description: 'Language of the translation that was sent; null: no translation' }),
    provider_id: idSchema('prov'),
    kind: z.string(),
    outcome: AttemptOutcome,
    code: z.string().nullable().meta({ description: "The carrier's code" }),
    message: z.string().nullable().meta({ description: "The carrier's answer as text" }),
    provider_message_id: z.string().nullable(),
    sms_segments: SmsSegments.nullable(),
    duration_ms: z.int(),
    sent_at: Timestamp,
  })
  .meta({ id: 'TestMessage' })
export type TestMessage = z.infer<typeof TestMessage>

const errors = [
  'not_found',
  'validation_failed',
  'invalid_recipient',
  'recipient_suppressed',
  'whatsapp_opt_in_required',
  'template_not_approved',
  'provider_not_configured',
  'rate_limited',
  ...idempotencyErrors,
] as const

export const sendEventTest = defineRoute({
  name: 'sendEventTest',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/applications/:application_id/events/:event_key/test',
  summary: 'Send a test message of an event to your own number or address, and return the answer of the carrier',
  auth: operator('events:manage'),
  params: z.object({ application_id: givenId('app'), event_key: z.string() }),
  body: z
    .strictObject({
      channel: Channel.meta({ description: 'A channel with a carrier: not in-app and webhook' }),
      recipient,
      data: z.record(z.string(), z.json()).default({}).meta({ description: 'Variables, as in a notification' }),
      locale: Locale.optional(),
      time_zone: TimeZone.optional().meta({ description: 'Default: UTC' }),
      templates: EventTemplates.optional().meta({
        description: 'Templates to send in place of the draft, or of the current version without one',
      }),
    })
    .meta({ id: 'EventTest' }),
  confidential: true,
  waits: true,
  responses: { 200: TestMessage },
  errors: ['event_not_found', 'template_variable_missing', ...errors],
})

export const sendProviderTest = defineRoute({
  name: 'sendProviderTest',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/providers/:provider_id/test-message',
  summary: 'Send a test message through a provider to your own number or address, and return the answer of the carrier',
  auth: operator('providers:manage'),
  params: z.object({ provider_id: givenId('prov') }),
  body: z
    .strictObject({
      recipient,
      templates: EventTemplates.optional().meta({
        description: 'Default: a sentence that names the provider. WhatsApp needs an approved template.',
      }),
    })
    .meta({ id: 'ProviderTestMessage' }),
  confidential: true,
  waits: true,
  responses: { 200: TestMessage },
  errors: ['template_variable_missing', ...errors],
})
