import { kinds, sendingEnvironment } from '@notify/carriers/kinds'
import { Lane } from '@notify/contracts'
import { areDnsServers } from '@notify/email-authentication'
import { parsedBy, parseIndexKeys, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, durations, proxyConfig, publicUrl, signingKey } from '@notify/service-kit'
import { z } from 'zod'
import { channelVariables } from './channels/channel-config.ts'

const most = z.coerce.number().int().positive()

export const Config = z.object({
  ...commonConfig,
  ROLE: z
    .enum(['api', 'worker', 'sender'])
    .describe('`api` accepts; `worker` relays, calls carriers and schedules; `sender` only calls carriers'),
  LANES: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(Lane).min(1))
    .default([...Lane.options])
    .describe(
      'Comma-separated lanes whose messages a `worker` or `sender` hands to carriers: `otp`, `transactional`, `bulk`. Each lane needs a process that sends it',
    ),
  PUBLIC_URL: publicUrl.describe('Public base URL of the API, for status callbacks of carriers'),
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring: comma-separated `<key id>:<base64 of 32 bytes>`, current key first'),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseIndexKeys))
    .describe(
      'Base64 of 32 bytes; recipients are looked up by an HMAC under it. Keys that `reindex` has added follow it, comma separated',
    ),
  FINGERPRINT_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; key of the HMAC that request bodies are compared by'),
  SERVICE_SIGNING_KEY: signingKey('dispatch').describe(
    'Private ES256 JWK whose kid begins with `dispatch`; consent answers requests that it signed',
  ),
  BOOTSTRAP_FILE: z.string().optional().describe('JSON document with the initial events and providers'),
  ...sendingEnvironment,
  CARRIER_SANDBOX_URL: z
    .url()
    .optional()
    .describe('URL of the carrier sandbox, which receives the messages of sk_test_ keys'),
  CARRIER_TIMEOUT: duration('10s').describe('Timeout of a request to a carrier'),
  ...channelVariables,
  SEND_RETRY_DELAYS: durations('5s,30s,2m,10m,30m').describe(
    'Maximum delay before each further attempt; the actual delay is random (full jitter)',
  ),
  HOLD_LIMIT: duration('24h').describe(
    'How long a message waits while the circuit breakers of all providers of its channel are open, or an internal error keeps it from being sent. It then fails and can be retried',
  ),
  UNKNOWN_GRACE: duration('60s').describe('Time to wait for a callback when the outcome of an attempt is unknown'),
  UNKNOWN_GRACE_OTP: duration('10s').describe(
    'The same before a one-time code is sent again; at most UNKNOWN_GRACE. A code that arrives twice does no harm, a late one is of no use',
  ),
  RECEIPT_INQUIRIES: durations('15m,24h,71h').describe(
    'Ages at which callbacks is asked for a missing receipt; below RECEIPT_DEADLINE',
  ),
  PAYLOAD_RETENTION: duration('30d').describe(
    'How long a notification is kept after its end, with its content and its attempts',
  ),
  STALLED_AFTER: duration('60s').describe('Age at which hand-offs that JetStream has not delivered are republished'),
  RENDER_THREADS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('Threads that render templates with tags or filters, plus one spare'),
  RENDER_MS_PER_SECOND: z.coerce
    .number()
    .positive()
    .default(500)
    .describe(
      "CPU time of one tenant's templates and texts made of HTML per process, in milliseconds per second; the same again for texts over 50,000 characters. Beyond it sends get 429",
    ),
  CONSENT_URL: z.url().describe('Internal address of consent'),
  CONSENT_TIMEOUT: duration('2s').describe(
    'Longest wait for the answer of consent whether recipients may receive messages; without it nothing is accepted or sent',
  ),
  PROVIDER_RETENTION: duration('7d').describe(
    'How long the receipts of a deleted provider still count; its credentials are erased afterwards',
  ),
  TEMPLATE_SYNC: duration('10m').describe("Wait between two readings of an account's templates from its carrier"),
  DNS_SERVERS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(areDnsServers, 'must be hosts or addresses, with a port or without, comma separated')
    .optional()
    .describe("Comma-separated resolvers for sending domains, `host` or `host:port`. Default: the system's"),
  DNS_TIMEOUT: duration('6s').describe(
    'Timeout of all DNS lookups of one domain. Callers wait for it; the gateway waits at most 7s',
  ),
  SPF_INCLUDE: z
    .string()
    .toLowerCase()
    .default(kinds.ses.mailFrom.include)
    .describe('Host name that SPF records of sending domains must include'),
  SES_REGION: z
    .string()
    .optional()
    .describe('SES region of MAIL FROM records for tenants without a provider of kind `ses`'),
  DOMAIN_RECHECK: duration('24h').describe(
    'Interval between checks of a verified domain, and the maximum for any domain',
  ),
  DOMAIN_RECHECK_FIRST: duration('1m').describe(
    'Minimum interval between checks of an unverified domain; grows with its age',
  ),
  DOMAINS_PER_TENANT: most.default(1000).describe('Maximum sending domains per tenant'),
  EVENTS_PER_APPLICATION: most.default(5000).describe('Maximum events per application'),
  TOPICS_PER_APPLICATION: most.default(100).describe('Maximum topics per application'),
  VERSIONS_PER_EVENT: most.default(5000).describe('Maximum published versions per event'),
  LISTS_PER_APPLICATION: most.default(1000).describe('Maximum lists of users per application and key mode'),
  MEMBERS_PER_LIST: most.default(5_000_000).describe('Maximum members per list'),
  BROADCASTS_PER_TENANT: most.default(100).describe('Maximum broadcasts per tenant that are running or paused'),
  BROADCAST_RATE: most
    .default(500)
    .describe(
      'Notifications of broadcasts that are accepted in a second per tenant, by all of its broadcasts together',
    ),
  DIGEST_LEASE: duration('30s').describe(
    'How long a worker may take to close a group of digests; after its crash another one closes them then',
  ),
  TEMPLATES_PER_TENANT: most.default(10_000).describe('Maximum stored templates per tenant'),
  LAYOUTS_PER_TENANT: most.default(1000).describe('Maximum layouts per tenant'),
  VERSIONS_PER_LAYOUT: most.default(100).describe('Newest versions that are kept of a layout'),
  TEST_MESSAGES_PER_MINUTE: most
    .default(10)
    .describe('Test messages that operators of one tenant send in a minute through one replica'),
  PROVIDERS_PER_TENANT: most.default(1000).describe('Maximum providers per tenant'),
  ...proxyConfig,
})
export type Config = z.output<typeof Config>
