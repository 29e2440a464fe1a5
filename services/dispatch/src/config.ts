import { sendingEnvironment } from '@notify/carriers/kinds'
import { parsedBy, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, durations } from '@notify/service-kit'
import { z } from 'zod'
import { channelVariables } from './channels/registry.ts'
import { areDnsServers } from './dns/lookup.ts'

export const Config = z.object({
  ...commonConfig,
  ROLE: z.enum(['api', 'worker']).describe('`api` accepts; `worker` relays, calls carriers and schedules'),
  PUBLIC_URL: z.url().describe('Address of the API as carriers reach it; status callbacks go there'),
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring, `<key id>:<base64 of 32 bytes>`, comma separated, current first'),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; recipients are looked up by an HMAC under it'),
  FINGERPRINT_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; bodies are compared by an HMAC under it'),
  BOOTSTRAP_FILE: z.string().optional().describe('JSON document with the events and providers to start with'),
  ...sendingEnvironment,
  CARRIER_SANDBOX_URL: z.url().optional().describe('Carrier sandbox; messages of sk_test_ keys go there alone'),
  CARRIER_TIMEOUT: duration('10s').describe('Longest wait for a carrier to answer'),
  ...channelVariables,
  SEND_RATE: z.coerce
    .number()
    .positive()
    .default(250)
    .describe('Sends a second that one worker begins in each lane of a channel; more replicas send more'),
  SEND_RETRY_DELAYS: durations('5s,30s,2m,10m,30m').describe(
    'Longest wait before each further attempt; the wait is drawn at random up to it',
  ),
  HOLD_LIMIT: duration('24h').describe(
    'How long a message waits while calls to every provider of its channel are held back; then it fails, and can be retried',
  ),
  UNKNOWN_GRACE: duration('60s').describe(
    'Wait for a callback when it is not known whether the carrier took the message',
  ),
  RECEIPT_DEADLINE: duration('72h').describe('When a sent message without a receipt counts as settled'),
  RECEIPT_INQUIRIES: durations('15m,24h,71h').describe(
    'Ages at which a message without a receipt is asked after at callbacks; below RECEIPT_DEADLINE',
  ),
  STALLED_AFTER: duration('60s').describe('When work that JetStream should have delivered is published again'),
  RENDER_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('Templates with tags and filters that are filled at the same time; one thread more is kept in reserve'),
  RENDER_MS_PER_SECOND: z.coerce
    .number()
    .positive()
    .default(500)
    .describe(
      'Processor time that the templates of one tenant may take in one process, in milliseconds a second; beyond it sends are answered 429',
    ),
  CONSENT_URL: z.url().describe('Internal address of consent'),
  CONSENT_TIMEOUT: duration('2s').describe(
    'Longest wait for consent to say whether recipients may be written to; without an answer nothing is accepted or sent',
  ),
  TEMPLATE_SYNC: duration('10m').describe("Wait between two readings of an account's templates from its carrier"),
  DNS_SERVERS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(areDnsServers, 'must be hosts or addresses, with a port or without, comma separated')
    .optional()
    .describe(
      "Resolvers that sending domains are looked up with, `host` or `host:port`, comma separated; the system's by default",
    ),
  DNS_TIMEOUT: duration('6s').describe(
    'Longest wait for all DNS answers of one domain; callers wait for it, and the gateway no longer than 10s',
  ),
  SPF_INCLUDE: z
    .string()
    .toLowerCase()
    .default('amazonses.com')
    .describe('Name that the SPF records of sending domains include'),
  SES_REGION: z
    .string()
    .optional()
    .describe('SES region of the MAIL FROM records of tenants without a provider of kind `ses`'),
  DOMAIN_RECHECK: duration('24h').describe(
    'Wait between two checks of a verified domain, and the longest of any domain',
  ),
  DOMAIN_RECHECK_FIRST: duration('1m').describe(
    'Shortest wait between two checks of a domain that is not verified; the wait grows with its age',
  ),
  DOMAINS_PER_TENANT: z.coerce
    .number()
    .int()
    .positive()
    .default(1000)
    .describe('Sending domains that a tenant may have'),
})
export type Config = z.output<typeof Config>
