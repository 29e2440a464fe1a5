import { createHostResolver, parseDevelopmentAllowList } from '@notify/egress-guard'
import { parsedBy, parseIndexKeys, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, durations, readableFile, refusedProxyConfig, signingKey } from '@notify/service-kit'
import { z } from 'zod'

const count = (fallback: number) => z.coerce.number().int().min(1).max(10_000).default(fallback)

export const Config = z.object({
  ...commonConfig,
  DISPATCH_URL: z.url().describe('Internal address of dispatch'),
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring, `<key id>:<base64 of 32 bytes>`, comma separated, current first'),
  FINGERPRINT_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; bodies are compared by an HMAC under it'),
  SERVICE_SIGNING_KEY: signingKey('webhook-delivery').describe(
    'Private ES256 JWK whose kid begins with `webhook-delivery`; dispatch judges hand-offs for callers that sign with it',
  ),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseIndexKeys))
    .optional()
    .describe('The same as that of dispatch; `erase-recipient` and `reindex` need it'),
  WEBHOOK_EGRESS_ALLOW: z
    .string()
    .default('')
    .transform(parsedBy(parseDevelopmentAllowList))
    .describe(
      'Receivers that may be called although they are not public, `host:port` or networks, comma separated; for development, refused in production',
    ),
  WEBHOOK_CA_FILE: readableFile()
    .optional()
    .describe("CA certificates, PEM, that verify receivers besides the system's"),
  WEBHOOK_SANDBOX_URL: z
    .url()
    .optional()
    .describe('Receiver of webhooks that sk_test_ keys send by the channel webhook; without one they fail'),
  WEBHOOK_TIMEOUT: duration('15s').describe(
    'Maximum duration of an exchange with a receiver, from DNS to the last byte',
  ),
  WEBHOOK_RETRY_DELAYS: durations('5s,5m,30m,2h,5h,10h,10h').describe(
    'Waits before further attempts, each up to a fifth shorter or longer',
  ),
  WEBHOOK_ORDER_LIMIT: duration('5s').describe(
    'How long the first attempt of an event may keep later events of its notification waiting',
  ),
  WEBHOOK_OWN_FAULT_DELAY: duration('30s').describe(
    'Wait after an attempt that failed in our own DNS or network, which does not count as an attempt',
  ),
  WEBHOOK_DISABLE_AFTER: duration('5d').describe(
    'A subscription is disabled after failing for this long without a success',
  ),
  WEBHOOK_IN_FLIGHT: count(64).describe(
    'Most requests to one endpoint at the same time; an endpoint begins with one and earns more by its successes',
  ),
  WEBHOOK_ENDPOINTS: count(256).describe(
    'Endpoints that one process delivers to at the same time, and as many further requests; a quarter of it more for those that keep failing. A tenant gets at most half',
  ),
  WEBHOOK_REPLAY_RATE: count(100).describe('Deliveries a second that the replay of one subscription requeues'),
  WEBHOOK_RETENTION: duration('30d')
    // Longer than an event may be published again, which would otherwise be sent under another id.
    .refine((ms) => ms >= 8 * 86_400_000, 'must be at least 8d')
    .describe(
      'How long finished deliveries are kept, and those that wait for a disabled subscription; at least 8 days',
    ),
  SUBSCRIPTIONS_PER_APPLICATION: count(500).describe('Maximum webhook subscriptions per application'),
  SUBSCRIPTIONS_PER_TENANT: count(2000).describe('Maximum webhook subscriptions per tenant'),
  DNS_SERVERS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(areUsable, 'must be addresses, with a port or without, comma separated')
    .optional()
    .describe(
      "Resolvers that receivers are looked up with, `address` or `address:port`, comma separated; the system's by default",
    ),
  ...refusedProxyConfig(
    'is set, but webhooks are delivered directly: a proxy would look receivers up by itself, after their addresses were judged. Unset it for this service, and let its pods call the internet',
  ),
})
export type Config = z.output<typeof Config>

function areUsable(servers: readonly string[]): boolean {
  try {
    createHostResolver({ servers })
    return true
  } catch {
    return false
  }
}
