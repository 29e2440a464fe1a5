import { z } from 'zod'
import { defineEvent } from './event.ts'
import { idSchema } from './ids.ts'
import { Channel } from './notifications.ts'
import { carrier, defineRoute } from './route.ts'
import { Timestamp } from './text.ts'

/** Status callbacks of the SMS provider: a signed form (X-Twilio-Signature over the public URL). */
export const smsStatusCallback = defineRoute({
  name: 'smsStatusCallback',
  service: 'callbacks',
  method: 'POST',
  path: '/api/v1/callbacks/smsprovider/sms',
  summary: 'SMS status callback',
  auth: carrier,
  bodyType: 'raw',
  maxBodyBytes: 64 * 1024,
  responses: { 200: z.object({ status: z.enum(['recorded', 'ignored']) }) },
  errors: ['invalid_signature'],
})

/** What a carrier says of a message that it took. */
export const receiptReceived = defineEvent({
  publisher: 'callbacks',
  subject: 'callbacks.receipt.{channel}',
  schema: z.object({
    channel: Channel,
    provider_id: idSchema('prov'),
    provider_message_id: z.string(),
    /** Our own correlation, which travelled with the send; absent when the carrier did not return it. */
    notification_id: idSchema('notif').optional(),
    attempt_id: idSchema('att').optional(),
    status: z.enum(['sent', 'delivered', 'undelivered', 'failed']),
    error_code: z.string().nullable(),
    received_at: Timestamp,
  }),
})
export type Receipt = z.output<typeof receiptReceived.schema>

/** A provider was made or changed: what the callbacks service needs to verify its signatures, envelope-encrypted. */
export const providerChanged = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.provider.changed',
  schema: z.object({
    provider_id: idSchema('prov'),
    tenant_id: idSchema('ten'),
    channel: Channel,
    kind: z.string(),
    revision: z.int(),
    /** Envelope over the JSON of the credentials, AAD `dispatch.provider.changed|tenant|provider`. */
    credentials: z.string(),
  }),
})
export type ProviderChange = z.output<typeof providerChanged.schema>
