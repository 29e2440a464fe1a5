import { z } from 'zod'
import { OtpChannel } from './channels/table.ts'
import { idempotencyErrors } from './errors.ts'
import { defineEvent } from './event.ts'
import { givenId, idSchema } from './ids.ts'
import { Locale } from './locale.ts'
import { KeyMode } from './permissions.ts'
import { apiKey, defineRoute } from './route.ts'
import { EventTime, Timestamp } from './text.ts'

/** `pending`: not yet committed for delivery. `failed`: the message failed; the code still verifies until it expires. */
export const OtpStatus = z.enum(['pending', 'sent', 'delivered', 'verified', 'expired', 'failed'])
export type OtpStatus = z.infer<typeof OtpStatus>

/** ASCII digits only: `\d` in a `u` pattern is ASCII too, but less plainly so. */
const Code = z.string().regex(/^[0-9]{4,10}$/, 'must be 4 to 10 digits')

/** How an application sends codes. */
export const OtpSettings = z.object({
  allowed_countries: z
    .array(
      z
        .string()
        .regex(/^\+[1-9][0-9]{0,14}$/, 'must be a plus sign and 1 to 15 digits')
        .meta({ example: '+4415' }),
    )
    .max(300)
    .optional()
    .meta({ description: 'Prefixes of the numbers that codes may be sent to. Default: all numbers' }),
  autofill_host: z
    .string()
    .regex(/^[a-z0-9.-]{1,253}$/, 'must be a host name in lower case')
    .optional()
    .meta({
      description: 'Host of the site where users enter the code; browsers fill it in there',
      example: 'shop.example',
    }),
  sends_per_minute: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'Most codes that the application sends in a minute' }),
})
export type OtpSettings = z.output<typeof OtpSettings>

export const OtpRequest = z
  .strictObject({
    channel: OtpChannel,
    recipient: z.string().max(320).meta({ description: 'E.164 number for sms and whatsapp, address for email' }),
    length: z
      .literal([4, 6], { error: 'must be 4 or 6' })
      .optional()
      .meta({ description: 'Digits of the code; default 6' }),
    ttl_seconds: z.int().min(30).max(86_400).default(300),
    code: Code.optional().meta({ description: "The caller's own code; requires `otp:custom_code`" }),
    locale: Locale.optional().meta({
      description:
        'Language of the recipient, BCP 47. Selects the text: event `otp.<locale>` of the application, then the translation of the event `otp`, then the built-in text. Default: default_locale of the application.',
    }),
    language: Locale.optional().meta({ description: 'Older name of locale' }),
  })
  .superRefine(({ code, length, locale, language }, issues) => {
    if (locale !== undefined && language !== undefined && locale !== language) {
      issues.addIssue({ code: 'custom', path: ['language'], message: 'is the older name of locale, which differs' })
    }
    if (code !== undefined && length !== undefined && code.length !== length) {
      issues.addIssue({ code: 'custom', path: ['code'], message: `must have ${length} digits, the value of length` })
    }
  })
  .meta({ id: 'OtpRequest' })
export type OtpRequest = z.output<typeof OtpRequest>

export const OtpSent = z
  .object({
    status: z.literal('sent'),
    transaction_id: idSchema('otp'),
    expires_in_seconds: z.int(),
  })
  .meta({ id: 'OtpSent' })
export type OtpSent = z.output<typeof OtpSent>

/** The errors with which a code may be refused, whether it is the first or sent again. */
const sendErrors = [
  'country_not_allowed',
  'invalid_recipient',
  'recipient_suppressed',
  'provider_not_configured',
  'domain_not_verified',
  'template_not_approved',
  'template_variable_missing',
  'whatsapp_opt_in_required',
  'otp_rate_limited',
  ...idempotencyErrors,
] as const

export const sendOtp = defineRoute({
  name: 'sendOtp',
  service: 'otp',
  method: 'POST',
  path: '/api/v1/otp/send',
  summary: 'Send a one-time code. The response is sent after the commit of its message.',
  auth: apiKey('otp:send'),
  body: OtpRequest,
  waits: true,
  responses: { 200: OtpSent },
  errors: ['channel_not_allowed', ...sendErrors],
})

export const resendOtp = defineRoute({
  name: 'resendOtp',
  service: 'otp',
  method: 'POST',
  path: '/api/v1/otp/:transaction_id/resend',
  summary: 'Send a new code for a transaction. The earlier code becomes invalid, unless the request is refused.',
  auth: apiKey('otp:send'),
  params: z.object({ transaction_id: givenId('otp') }),
  waits: true,
  responses: { 200: OtpSent },
  errors: ['otp_not_found', 'otp_already_verified', 'otp_expired', 'otp_attempts_exceeded', ...sendErrors],
})

export const verifyOtp = defineRoute({
  name: 'verifyOtp',
  service: 'otp',
  method: 'POST',
  path: '/api/v1/otp/verify',
  summary: 'Verify a one-time code. A code verifies once; five wrong codes lock the transaction.',
  auth: apiKey('otp:verify'),
  body: z.strictObject({ transaction_id: givenId('otp', z.string().max(100)), code: Code }),
  responses: {
    200: z
      .object({ status: z.literal('verified'), transaction_id: idSchema('otp'), verified_at: Timestamp })
      .meta({ id: 'OtpVerified' }),
  },
  errors: [
    'otp_not_found',
    'otp_invalid_code',
    'otp_attempts_exceeded',
    'otp_expired',
    'otp_already_verified',
    ...idempotencyErrors,
  ],
})

export const getOtp = defineRoute({
  name: 'getOtp',
  service: 'otp',
  method: 'GET',
  path: '/api/v1/otp/:transaction_id',
  summary: 'Retrieve the state of a one-time code',
  auth: apiKey('otp:send'),
  params: z.object({ transaction_id: givenId('otp') }),
  responses: {
    200: z
      .object({
        transaction_id: idSchema('otp'),
        status: OtpStatus,
        channel: OtpChannel,
        recipient_masked: z.string(),
        failure_reason: z.string().nullable(),
        attempts_remaining: z.int(),
        resends_remaining: z.int(),
        created_at: Timestamp,
        expires_at: Timestamp,
        verified_at: Timestamp.nullable(),
      })
      .meta({ id: 'Otp' }),
  },
  errors: ['otp_not_found'],
})

/** The state of a code's transaction, complete and masked; `revision` grows with each change. */
export const OtpFact = z.object({
  transaction_id: idSchema('otp'),
  tenant_id: idSchema('ten'),
  application_id: idSchema('app'),
  mode: KeyMode,
  revision: z.int().min(1),
  channel: OtpChannel,
  status: OtpStatus.exclude(['pending']),
  recipient_masked: z.string(),
  recipient_index: z.string(),
  failure_reason: z.string().nullable(),
  /** The language of its text, once the message has an outcome, and the one that the request asked for. */
  locale: z.string().nullable().optional(),
  requested_locale: z.string().nullable().optional(),
  created_at: EventTime,
  occurred_at: EventTime,
})
export type OtpFact = z.output<typeof OtpFact>

/** A code was sent, delivered or verified, or it expired or failed. Three parts, so that `otp.>` does not match it. */
export const otpChanged = defineEvent({ publisher: 'otp', subject: 'otp.transaction.{status}', schema: OtpFact })
