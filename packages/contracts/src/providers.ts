import { z } from 'zod'
import type { Channel } from './channel.ts'
import { EmailAddress, e164Pattern, oneLinePattern } from './text.ts'

/** Credentials of a Twilio account: spec 1.10. Exactly one of `from` and `messaging_service_sid`. */
export const TwilioCredentials = z
  .strictObject({
    account_sid: z.string().regex(/^AC[0-9a-f]{32}$/, 'must be AC and 32 hexadecimal digits'),
    auth_token: z.string().min(16).max(128),
    from: z.string().regex(e164Pattern, 'must be an E.164 number').optional(),
    messaging_service_sid: z
      .string()
      .regex(/^MG[0-9a-f]{32}$/, 'must be MG and 32 hexadecimal digits')
      .optional(),
  })
  .refine((c) => (c.from === undefined) !== (c.messaging_service_sid === undefined), {
    message: 'give either from or messaging_service_sid',
  })
export type TwilioCredentials = z.infer<typeof TwilioCredentials>

/** How a sender is called in the From line. */
const FromName = z.string().min(1).max(200).regex(oneLinePattern, 'must be one line without control characters')

const topicArn = /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/

/**
 * Credentials of an Amazon SES account. `topic_arns` lists, comma separated, the SNS topics whose notifications are believed.
 */
export const SesCredentials = z.strictObject({
  region: z.string().regex(/^[a-z]{2,4}(-[a-z]+)+-\d$/, 'must be an AWS region such as eu-west-1'),
  access_key_id: z.string().regex(/^[A-Z0-9]{16,128}$/, 'must be 16 to 128 capital letters and digits'),
  secret_access_key: z.string().regex(/^[\x21-\x7e]{16,256}$/, 'must be 16 to 256 visible ASCII characters'),
  from: EmailAddress,
  from_name: FromName.optional(),
  configuration_set: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes or underscores')
    .optional(),
  topic_arns: z
    .string()
    .max(4000)
    .refine(
      (text) => text.split(',').every((part) => topicArn.test(part.trim())),
      'must be SNS topic ARNs, comma separated',
    )
    .optional(),
})
export type SesCredentials = z.infer<typeof SesCredentials>

const hostName =
  /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * How to reach an SMTP server. `tls` speaks TLS from the first byte (port 465), `starttls` insists on the upgrade (587),
 * `none` never encrypts and so takes no password: it is for a relay on the same machine or network.
 */
export const SmtpCredentials = z
  .strictObject({
    host: z.string().regex(hostName, 'must be a host name or an IPv4 address, without scheme and port'),
    port: z
      .string()
      .regex(/^[1-9]\d{0,4}$/, 'must be a port from 1 to 65535')
      .refine((text) => Number(text) <= 65_535, 'must be a port from 1 to 65535'),
    security: z.enum(['tls', 'starttls', 'none']),
    username: z.string().min(1).max(255).regex(oneLinePattern, 'must be one line').optional(),
    password: z.string().min(1).max(1024).regex(oneLinePattern, 'must be one line').optional(),
    from: EmailAddress,
    from_name: FromName.optional(),
  })
  .refine((c) => (c.username === undefined) === (c.password === undefined), {
    message: 'give username and password, or neither',
  })
  .refine((c) => c.security !== 'none' || c.password === undefined, {
    path: ['security'],
    message: 'must be tls or starttls when there is a password',
  })
export type SmtpCredentials = z.infer<typeof SmtpCredentials>

/** The kinds of carrier accounts that dispatch sends through: their channel, and what their credentials look like. */
export const providerKinds = {
  twilio: { channel: 'sms', credentials: TwilioCredentials },
  ses: { channel: 'email', credentials: SesCredentials },
  smtp: { channel: 'email', credentials: SmtpCredentials },
} as const satisfies Record<string, { channel: Channel; credentials: z.ZodType }>
export type ProviderKind = keyof typeof providerKinds
