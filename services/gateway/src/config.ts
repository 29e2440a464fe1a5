import { addressVariable, type ServiceName } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { parsedBy, parseIndexKeys, parseKey, parseKeyRing } from '@notify/privacy'
import { commonConfig, duration, proxyConfig, redisConfig, signingKey } from '@notify/service-kit'
import { z } from 'zod'

/** `typ` may omit `application/` and is case-insensitive (RFC 7515, 4.1.9). */
export const normalTokenType = (type: string) =>
  type
    .trim()
    .toLowerCase()
    .replace(/^application\//, '')

const most = z.coerce.number().int().positive()
const perSecond = z.coerce.number().int().positive()

/** The services with public routes. */
const owners = [...new Set(publicRoutes().map(({ service }) => service))].filter((service) => service !== 'gateway')

const addresses = Object.fromEntries(
  owners.sort().map((owner) => [addressVariable(owner), z.url().describe(`Internal address of ${owner}`)]),
) as Record<'DISPATCH_URL' | 'CALLBACKS_URL', z.ZodURL>

export const Config = z.object({
  ...commonConfig,
  ...redisConfig,
  PRINCIPAL_SIGNING_KEY: signingKey('gateway').describe(
    'Private ES256 JWK; other services trust callers that it signed',
  ),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseIndexKeys))
    .describe(
      'The same as that of dispatch; recipients are looked up by HMACs under it, and operators have pseudonyms under the first key',
    ),
  ENCRYPTION_KEYS: z
    .string()
    .transform(parsedBy(parseKeyRing))
    .describe('Key ring of its own, `<key id>:<base64 of 32 bytes>`, comma separated, current first'),
  FINGERPRINT_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes; idempotent bodies are compared by HMACs under it'),
  OIDC_ISSUER: z.url().describe("Issuer of the operators' access tokens"),
  OIDC_JWKS_URL: z
    .url()
    .optional()
    .describe("Address of the issuer's keys; by default as its discovery document says, at the issuer's address"),
  OIDC_AUDIENCE: z.string().min(1).describe('Required audience of operator tokens'),
  OIDC_TENANT_CLAIM: z
    .string()
    .default('tenant_id')
    .describe("Claim that contains the operator's tenant, or a path such as `app.tenant`"),
  OIDC_PERMISSIONS_CLAIM: z
    .string()
    .default('permissions')
    .describe(
      "Claim that contains the operator's permissions, or a path such as `realm_access.roles`; other names are ignored",
    ),
  OIDC_NAME_CLAIM: z
    .string()
    .default('name')
    .describe("Claim that contains the operator's name, for the audit log; kept encrypted, erasable"),
  OIDC_EMAIL_CLAIM: z.string().default('email').describe("Claim that contains the operator's email address, likewise"),
  OIDC_TOKEN_TYPES: z
    .string()
    .default('at+jwt,JWT')
    .transform((text) => text.split(',').map(normalTokenType).filter(Boolean))
    .refine((types) => types.length > 0, 'must name at least one type')
    .describe('Comma-separated values of `typ` that operator tokens may have; `none` allows tokens without it'),
  CONSOLE_CLIENT_ID: z
    .string()
    .min(1)
    .default('notify-console')
    .describe(
      'Client id of the console at the issuer: a public client with PKCE and the redirect URI `/console/callback`',
    ),
  CONSOLE_SCOPE: z
    .string()
    .min(1)
    .default('openid')
    .describe(
      'Scopes that the console asks the issuer for, separated by spaces; add `offline_access` where refresh tokens need it',
    ),
  OIDC_KEYS_MAX_AGE: duration('5m').describe(
    "Age at which the issuer's keys are fetched again; a removed key stays valid until then",
  ),
  CONSOLE_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe('Parameter `audience` of the login, for issuers such as Auth0 that give tokens for an API only by it'),
  CONSOLE_RESOURCE: z
    .url()
    .optional()
    .describe('Parameter `resource` (RFC 8707) of the login, for issuers that give tokens for an API only by it'),
  ...addresses,
  BOOTSTRAP_FILE: z.string().optional().describe('JSON document with the initial tenants, applications and keys'),
  RECONCILE_INTERVAL: duration('15m').describe(
    'Interval between comparisons of the activity of the last day with dispatch; what is older, up to 35 days, is compared once a day',
  ),
  RECONCILE_AFTER: duration('2m').describe('Age at which a change that has not arrived over the bus counts as lost'),
  ACTIVITY_RETENTION: duration('395d').describe(
    'Age at which items of the activity are deleted; 13 months by default. Messages that are first sent later are not charged',
  ),
  PAYLOAD_RETENTION: duration('30d').describe(
    'How long dispatch keeps a notification after its end, as it is set there; then its item is not retryable',
  ),
  ACTIVITY_RETRY_RATE: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe('Items per second that jobs retry for one tenant'),
  STREAM_MEMORY: z.coerce
    .number()
    .int()
    .positive()
    .default(256 * 1024 * 1024)
    .describe(
      'Memory limit of open event streams per process, in bytes: 48 KiB each plus unread data. Beyond it new streams get 503',
    ),
  APPLICATIONS_PER_TENANT: most.default(1000).describe('Maximum applications per tenant'),
  KEYS_PER_APPLICATION: most.default(1000).describe('Maximum active API keys per application'),
  RETRY_JOBS_PER_TENANT: most.default(20).describe('Maximum retry jobs of a tenant that wait or run'),
  API_LOG_PER_SECOND: z.coerce
    .number()
    .positive()
    .default(1)
    .describe(
      'Requests of one tenant that a replica logs per second after a burst of 60, and as many refused ones; others are counted',
    ),
  RATE_LIMIT_KEY_PER_SECOND: perSecond.default(100).describe('Requests per second of one API key or operator'),
  RATE_LIMIT_ADDRESS_PER_SECOND: perSecond
    .default(100)
    .describe('Failed requests per second of one address: missing or wrong credentials, or a wrong signature'),
  RATE_LIMIT_TENANT_PER_SECOND: perSecond
    .default(500)
    .describe('Requests per second of one tenant, as many of its test keys, and as many of its operators'),
  ...proxyConfig,
})
export type Config = z.output<typeof Config>

/** The internal address of a service with public routes. */
export function peerUrl(config: Config, service: ServiceName): string {
  return (config as Record<string, unknown>)[addressVariable(service)] as string
}
