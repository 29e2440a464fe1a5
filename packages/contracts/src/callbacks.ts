import { z } from 'zod'
import { Channel } from './channels/table.ts'
import { defineEvent, SealedText } from './event.ts'
import { givenId, idSchema } from './ids.ts'
import { carrier, defineRoute } from './route.ts'
import { Timestamp } from './text.ts'

const refusals = ['invalid_signature', 'payload_too_large', 'unsupported_media_type', 'validation_failed'] as const

/** Status callbacks of the SMS provider: a form signed with X-Twilio-Signature over the public URL. */
export const smsStatusCallback = defineRoute({
  name: 'smsStatusCallback',
  service: 'callbacks',
  method: 'POST',
  path: '/api/v1/callbacks/smsprovider/sms',
  summary: 'Receive an SMS status callback',
  auth: carrier,
  bodyType: 'raw',
  maxBodyBytes: 64 * 1024,
  responses: { 200: z.object({ status: z.enum(['recorded', 'ignored']) }) },
  errors: refusals,
})

/** Inbound SMS: the same signed form. The response is empty TwiML. */
export const smsInboundCallback = defineRoute({
  name: 'smsInboundCallback',
  service: 'callbacks',
  method: 'POST',
  path: '/api/v1/callbacks/smsprovider/inbound',
  summary: 'Receive an inbound SMS. Opt-out and opt-in keywords such as STOP and START update suppressions.',
  auth: carrier,
  bodyType: 'raw',
  maxBodyBytes: 64 * 1024,
  responseType: 'text/xml',
  responses: { 200: z.string() },
  errors: refusals,
})

/** SES events from Amazon SNS: signed JSON, sent as text/plain. */
export const emailCallback = defineRoute({
  name: 'emailCallback',
  service: 'callbacks',
  method: 'POST',
  path: '/api/v1/callbacks/email/:provider_id',
  summary: 'Receive SES email events from Amazon SNS. Confirms subscriptions of topics that the provider lists.',
  auth: carrier,
  params: z.object({ provider_id: givenId('prov') }),
  bodyType: 'raw',
  requestType: 'text/plain',
  // SNS messages have up to 256 KiB, and the nested JSON escapes every quote.
  maxBodyBytes: 512 * 1024,
  responses: { 200: z.object({ status: z.enum(['recorded', 'ignored', 'confirmed']) }) },
  errors: ['not_found', 'invalid_json', 'invalid_signature', 'payload_too_large', 'validation_failed'],
})

const cloudSummary = 'Receive WhatsApp webhooks: receipts, inbound messages, changes of templates and preferences'
const verification = 'Answer the verification challenge of a WhatsApp webhook'

/** Webhooks of the numbers that are connected through the service's own app, signed with its secret (X-Hub-Signature-256). */
export const sharedCloudCallback = defineRoute({
  name: 'sharedCloudCallback',
  service: 'callbacks',
  method: 'POST',
  path: '/api/v1/callbacks/cloud/shared',
  summary: `${cloudSummary} (shared app)`,
  auth: carrier,
  bodyType: 'raw',
  requestType: 'application/json',
  // Meta posts up to 3 MB.
  maxBodyBytes: 4 * 1024 * 1024,
  responses: { 200: z.object({ status: z.enum(['recorded', 'ignored']) }) },
  errors: ['not_found', 'invalid_json', 'invalid_signature', 'payload_too_large', 'validation_failed'],
})

/** The same for a customer's own app, signed with the app secret of the provider. */
export const cloudCallback = defineRoute({
  ...sharedCloudCallback,
  name: 'cloudCallback',
  path: '/api/v1/callbacks/cloud/:provider_id',
  summary: `${cloudSummary} (app of the customer)`,
  params: z.object({ provider_id: givenId('prov') }),
})

export const sharedCloudVerification = defineRoute({
  name: 'sharedCloudVerification',
  service: 'callbacks',
  method: 'GET',
  path: '/api/v1/callbacks/cloud/shared',
  summary: `${verification} with SERVICE_CLOUD_WEBHOOK_VERIFY_TOKEN`,
  auth: carrier,
  responseType: 'text/plain',
  responses: { 200: z.string() },
  errors: ['permission_denied', 'not_found', 'validation_failed'],
})

export const cloudVerification = defineRoute({
  ...sharedCloudVerification,
  name: 'cloudVerification',
  path: '/api/v1/callbacks/cloud/:provider_id',
  summary: `${verification} with the provider's verify token`,
  params: z.object({ provider_id: givenId('prov') }),
})

/** Callbacks of carriers that call an address of the provider's own. Each kind verifies and reads its own format. */
export const carrierCallback = defineRoute({
  name: 'carrierCallback',
  service: 'callbacks',
  method: 'POST',
  path: '/api/v1/callbacks/carriers/:kind/:provider_id',
  summary: 'Receive callbacks of a carrier at the address of a provider: receipts and inbound messages',
  auth: carrier,
  params: z.object({
    kind: z.string().max(100).meta({ description: 'Kind of the provider', example: 'postmark' }),
    provider_id: givenId('prov'),
  }),
  bodyType: 'raw',
  requestType: 'application/json',
  // SendGrid posts up to 768 KiB of events.
  maxBodyBytes: 1000 * 1024,
  responses: { 200: z.object({ status: z.enum(['recorded', 'ignored']) }) },
  errors: ['not_found', 'invalid_json', 'invalid_signature', 'payload_too_large', 'validation_failed'],
})

/** The statuses that carriers report. The last four never change the state of a message. */
export const ReceiptStatus = z.enum([
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'read',
  'delayed',
  'complained',
  'unsubscribed',
])
export type ReceiptStatus = z.infer<typeof ReceiptStatus>

/** A carrier's report on a message that it accepted. */
export const receiptReceived = defineEvent({
  publisher: 'callbacks',
  subject: 'callbacks.receipt.{channel}',
  schema: z.object({
    channel: Channel,
    /** The tenant of the account; absent in events of an earlier release. */
    tenant_id: idSchema('ten').optional(),
    provider_id: idSchema('prov'),
    provider_message_id: z.string(),
    /** The id sent along with the message; absent when the carrier did not return it. */
    notification_id: idSchema('notif').optional(),
    attempt_id: idSchema('att').optional(),
    status: ReceiptStatus,
    error_code: z.string().nullable(),
    /** Code and text for people, addresses and numbers masked, when the message did not arrive; absent otherwise. */
    reason: z.string().max(1000).optional(),
    /** Whether the same message may succeed later. Absent where `reason` is absent. */
    retryable: z.boolean().optional(),
    copy: z.string().optional().meta({ description: 'The copy that the receipt is about; absent for the recipient' }),
    /** The recipient must be suppressed, for this reason. */
    suppress: z.enum(['bounce', 'complaint', 'stop']).optional(),
    received_at: Timestamp,
  }),
})
export type Receipt = z.output<typeof receiptReceived.schema>

/** Asks callbacks to publish the receipts of an attempt again, when none has arrived for a long time. */
export const receiptWanted = defineEvent({
  publisher: 'dispatch',
  subject: 'dispatch.receipt.wanted',
  schema: z.object({
    attempt_id: idSchema('att'),
    /** The state at dispatch: `sent`, or `unknown` if it is unknown whether the carrier accepted the message. */
    known: z.enum(['sent', 'unknown']),
  }),
})
export type ReceiptWanted = z.output<typeof receiptWanted.schema>

/** Content of an inbound message. */
export const ReceivedContent = z.object({
  /** Empty when the carrier does not report the number. */
  from: z.string(),
  to: z.string(),
  body: z.string(),
  /** The carrier's id of the sender, which stays the same without a number. */
  user_id: z.string().optional(),
  /** The keyword that the carrier recognised, e.g. `STOP`. */
  opt_out_type: z.string().optional(),
  /** The payload of the pressed button, if the message reports one. */
  payload: z.string().optional(),
})
export type ReceivedContent = z.output<typeof ReceivedContent>

/** The account that a carrier's call is about. */
const ofAccount = { provider_id: idSchema('prov'), tenant_id: idSchema('ten'), channel: Channel }

/** A person's message or choice. */
const ofPerson = {
  ...ofAccount,
  content: SealedText,
  /** The carrier's id of the message or of the choice; the same in repetitions. */
  provider_message_id: z.string(),
  /** The carrier's time, which may be in the future. Absent if the carrier reports none, and in events of an earlier release. */
  occurred_at: Timestamp.optional(),
  received_at: Timestamp,
}

/** An inbound message to one of our senders. */
export const messageReceived = defineEvent({
  publisher: 'callbacks',
  subject: 'callbacks.message.received',
  schema: z.object(ofPerson),
  sealed: { field: 'content', aad: ['tenant_id', 'provider_id'], content: ReceivedContent },
})
export type MessageReceived = z.output<typeof messageReceived.schema>

/** The carrier changed the approval of a message template. Fields that it does not name keep their values. */
export const templateChanged = defineEvent({
  publisher: 'callbacks',
  subject: 'callbacks.template.changed',
  schema: z.object({
    ...ofAccount,
    name: z.string(),
    language: z.string(),
    /** In lower case; only `approved` may be sent. */
    status: z.string().optional(),
    category: z.string().optional(),
    quality: z.string().optional(),
    received_at: Timestamp,
  }),
})
export type TemplateChange = z.output<typeof templateChanged.schema>

/** A recipient's marketing preference, set at the carrier. */
export const MarketingChoice = z.object({
  /** E.164 number; empty when the carrier does not report it. */
  from: z.string(),
  user_id: z.string().optional(),
  choice: z.enum(['stop', 'resume']),
  /** `preference`: chosen in the carrier's app. `carrier`: learned from a message that it did not deliver. */
  source: z.enum(['preference', 'carrier']),
})
export type MarketingChoice = z.output<typeof MarketingChoice>

/** A recipient does not want marketing from one of our senders, or wants it again. */
export const preferenceChanged = defineEvent({
  publisher: 'callbacks',
  subject: 'callbacks.preference.changed',
  schema: z.object(ofPerson),
  sealed: { field: 'content', aad: ['tenant_id', 'provider_id'], content: MarketingChoice },
})
export type PreferenceChange = z.output<typeof preferenceChanged.schema>
