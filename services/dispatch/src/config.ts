import { parsedBy, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, durations } from '@notify/service-kit'
import { z } from 'zod'

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
  TWILIO_API_URL: z.url().default('https://api.twilio.com').describe("Base address of Twilio's API"),
  SES_API_URL: z
    .url()
    .optional()
    .describe("Base address of Amazon SES's API; by default that of each provider's region"),
  CARRIER_SANDBOX_URL: z.url().optional().describe('Carrier sandbox; messages of sk_test_ keys go there alone'),
  CARRIER_TIMEOUT: duration('10s').describe('Longest wait for a carrier to answer'),
  SEND_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(64)
    .describe('Carrier calls at the same time in the transactional lane of one worker'),
  BULK_CONCURRENCY: z.coerce.number().int().min(1).max(1000).default(16).describe('The same for the bulk lane'),
  SEND_RATE: z.coerce
    .number()
    .positive()
    .default(250)
    .describe('Sends a second that one worker begins in each lane; more replicas send more'),
  SEND_RETRY_DELAYS: durations('5s,30s,2m,10m,30m').describe(
    'Longest wait before each further attempt; the wait is drawn at random up to it',
  ),
  UNKNOWN_GRACE: duration('60s').describe(
    'Wait for a callback when it is not known whether the carrier took the message',
  ),
  STALLED_AFTER: duration('60s').describe('When work that JetStream should have delivered is published again'),
})
export type Config = z.output<typeof Config>
