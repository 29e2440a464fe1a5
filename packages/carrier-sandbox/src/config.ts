import { readSecretFiles } from '@notify/service-kit/secret-files'
import { z } from 'zod'
import { MetaNumber } from './meta/number.ts'

/** A configuration that cannot work; the message names the environment variable. */
export class ConfigError extends Error {}

const accountSid = /^AC[0-9a-f]{32}$/i

const accessKeyId = /^\w{16,128}$/

const variables = z.object({
  /** Address to listen on. */
  HOST: z.string().default('127.0.0.1'),
  /** Port to listen on; 0 takes a free one. */
  PORT: wholeNumber(0, 65_535).default(8088),
  /** The one Twilio account that may send; several are given in TWILIO_ACCOUNTS. */
  TWILIO_ACCOUNT_SID: z.string().regex(accountSid, 'must be AC and 32 hexadecimal digits').optional(),
  /** The auth token of TWILIO_ACCOUNT_SID: it is the password of requests and the key of callback signatures. */
  TWILIO_AUTH_TOKEN: z.string().optional(),
  /** Further accounts: `sid:token,sid:token`. */
  TWILIO_ACCOUNTS: z
    .string()
    .transform((list) => list.split(',').map((pair) => pair.trim().split(':')))
    .refine((pairs) => pairs.every(([sid = '', token]) => accountSid.test(sid) && token), {
      error: 'must be a list of sid:token pairs with commas in between',
    })
    .transform((pairs) => pairs.map(([sid = '', ...token]) => ({ sid, authToken: token.join(':') })))
    .default([]),
  /** The WhatsApp numbers that may send, as JSON. */
  META_NUMBERS: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(z.array(MetaNumber))
    .default([]),
  /** The webhook that inbound messages to TWILIO_NUMBER are reported to; without it, `POST /inbound` is refused. */
  TWILIO_INBOUND_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** The number of TWILIO_ACCOUNT_SID that receives inbound messages. */
  TWILIO_NUMBER: z
    .string()
    .regex(/^\+[1-9]\d{3,14}$/, 'must be an E.164 number')
    .default('+15005550006'),
  /** The one AWS user that may use SES; several are given in SES_ACCOUNTS. Without any, SES refuses every request. */
  SES_ACCESS_KEY_ID: z.string().regex(accessKeyId, 'must be 16 to 128 letters, digits or underscores').optional(),
  /** The secret of SES_ACCESS_KEY_ID. */
  SES_SECRET_ACCESS_KEY: z.string().optional(),
  /** Further AWS users: `id:secret,id:secret`. */
  SES_ACCOUNTS: z
    .string()
    .transform((list) => list.split(',').map((pair) => pair.trim().split(':')))
    .refine((pairs) => pairs.every(([id = '', secret]) => accessKeyId.test(id) && secret), {
      error: 'must be a list of id:secret pairs with commas in between',
    })
    .transform((pairs) => pairs.map(([id = '', ...secret]) => ({ accessKeyId: id, secretAccessKey: secret.join(':') })))
    .default([]),
  /** Subscribed to SES_TOPIC_ARN from the start: where the events of emails go. */
  SES_EVENTS_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** The SNS topic that events of emails are published to. */
  SES_TOPIC_ARN: z
    .string()
    .regex(/^arn:aws:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/, 'must be the ARN of an SNS topic')
    .default('arn:aws:sns:us-east-1:123456789012:email-events'),
  /** The one configuration set that exists; it publishes every event. */
  SES_CONFIGURATION_SET: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, underscores or dashes')
    .default('email-events'),
  /** How SNS messages are signed: 2 with SHA-256, 1 with SHA-1. */
  SNS_SIGNATURE_VERSION: z.enum(['1', '2']).default('2'),
  /** Port of the DNS server, UDP and TCP; 0 takes a free one. */
  DNS_PORT: wholeNumber(0, 65_535).default(8053),
  /** The name that sending domains include in their SPF record; it always exists. */
  SPF_INCLUDE: z
    .string()
    .regex(/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/i, 'must be a domain name')
    .default('_spf.notification-service.dev'),
  /** Port of the HTTPS receiver of webhooks; 0 takes a free one. It runs when it is given a certificate. */
  RECEIVER_PORT: wholeNumber(0, 65_535).default(8443),
  /** PEM files with the receiver's certificate and its key. */
  RECEIVER_CERT_FILE: z.string().optional(),
  RECEIVER_KEY_FILE: z.string().optional(),
  /** Signing secrets that the receiver verifies webhooks with, comma separated; more are added by POST /received/secrets. */
  RECEIVER_SECRETS: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .default([]),
  /** The sandbox's public URL, without a trailing slash; defaults to the address that it listens on. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
    .optional(),
  /** Wait before each callback, in milliseconds. */
  CARRIER_DELAY_MS: wholeNumber(0, 3_600_000).default(50),
  /** How many messages are kept; the oldest are dropped. */
  MESSAGE_LOG_SIZE: wholeNumber(1, 10_000_000).default(100_000),
})

const environment = variables
  .superRefine((env, context) => {
    const missing = (name: keyof typeof env) =>
      context.addIssue({ code: 'custom', path: [name], message: 'is required' })
    if (env.TWILIO_ACCOUNT_SID && !env.TWILIO_AUTH_TOKEN) missing('TWILIO_AUTH_TOKEN')
    if (!env.TWILIO_ACCOUNT_SID && (env.TWILIO_AUTH_TOKEN || env.TWILIO_ACCOUNTS.length === 0))
      missing('TWILIO_ACCOUNT_SID')
    if (env.SES_ACCESS_KEY_ID && !env.SES_SECRET_ACCESS_KEY) missing('SES_SECRET_ACCESS_KEY')
    if (env.SES_SECRET_ACCESS_KEY && !env.SES_ACCESS_KEY_ID) missing('SES_ACCESS_KEY_ID')
  })
  .transform((env) => ({
    host: env.HOST,
    port: env.PORT,
    twilioAccounts: [
      ...(env.TWILIO_ACCOUNT_SID && env.TWILIO_AUTH_TOKEN
        ? [{ sid: env.TWILIO_ACCOUNT_SID, authToken: env.TWILIO_AUTH_TOKEN }]
        : []),
      ...env.TWILIO_ACCOUNTS,
    ],
    twilioInboundUrl: env.TWILIO_INBOUND_URL,
    twilioNumber: env.TWILIO_NUMBER,
    metaNumbers: env.META_NUMBERS,
    sesAccounts: [
      ...(env.SES_ACCESS_KEY_ID && env.SES_SECRET_ACCESS_KEY
        ? [{ accessKeyId: env.SES_ACCESS_KEY_ID, secretAccessKey: env.SES_SECRET_ACCESS_KEY }]
        : []),
      ...env.SES_ACCOUNTS,
    ],
    sesEventsUrl: env.SES_EVENTS_URL,
    sesTopicArn: env.SES_TOPIC_ARN,
    sesConfigurationSet: env.SES_CONFIGURATION_SET,
    snsSignatureVersion: env.SNS_SIGNATURE_VERSION,
    dnsPort: env.DNS_PORT,
    spfInclude: env.SPF_INCLUDE,
    receiver:
      env.RECEIVER_CERT_FILE && env.RECEIVER_KEY_FILE
        ? { port: env.RECEIVER_PORT, certFile: env.RECEIVER_CERT_FILE, keyFile: env.RECEIVER_KEY_FILE }
        : undefined,
    receiverSecrets: env.RECEIVER_SECRETS,
    publicUrl: env.PUBLIC_URL,
    callbackDelayMs: env.CARRIER_DELAY_MS,
    messageLogSize: env.MESSAGE_LOG_SIZE,
  }))

export type SandboxConfig = z.infer<typeof environment>

/**
 * Reads the configuration from environment variables, or from the files that `<NAME>_FILE` name; an empty variable counts as absent.
 * @throws ConfigError that names the first variable that is missing or wrong, never its value
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): SandboxConfig {
  const { values, faults } = readSecretFiles(env, Object.keys(variables.shape))
  for (const [name, fault] of faults) throw new ConfigError(`${name} ${fault}`)
  const result = environment.safeParse(values)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new ConfigError(`${issue?.path.join('.')} ${issue?.message}`)
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
}
