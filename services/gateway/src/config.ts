import { addressVariable, type ServiceName } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { parsedBy, parseKey } from '@notify/privacy'
import { commonConfig, duration, readableFile, signingKey } from '@notify/service-kit'
import { z } from 'zod'

/** A media type in a `typ` header may leave out `application/`, and is not case-sensitive (RFC 7515 4.1.9). */
export const normalTokenType = (type: string) =>
  type
    .trim()
    .toLowerCase()
    .replace(/^application\//, '')

const perSecond = z.coerce.number().int().positive()

/** The services whose public routes are reached through the gateway. */
const owners = [...new Set(publicRoutes().map(({ service }) => service))].filter((service) => service !== 'gateway')

const addresses = Object.fromEntries(
  owners.sort().map((owner) => [addressVariable(owner), z.url().describe(`Internal address of ${owner}`)]),
) as Record<'DISPATCH_URL' | 'CALLBACKS_URL', z.ZodURL>

export const Config = z.object({
  ...commonConfig,
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .describe('Redis, where rate limits are counted, with user and password; rediss:// for TLS'),
  REDIS_CA_FILE: readableFile()
    .optional()
    .describe("CA certificates, PEM, that verify Redis instead of the system's; with rediss://"),
  PRINCIPAL_SIGNING_KEY: signingKey('gateway').describe(
    'Private ES256 JWK; other services trust callers that it signed',
  ),
  BLIND_INDEX_KEY: z
    .string()
    .transform(parsedBy(parseKey))
    .describe('Base64 of 32 bytes, the same as that of dispatch; operators are known by an HMAC under it'),
  OIDC_ISSUER: z.url().describe("Issuer of the operators' access tokens"),
  OIDC_AUDIENCE: z.string().min(1).describe('Audience that operator tokens must name'),
  OIDC_TENANT_CLAIM: z.string().default('tenant_id').describe("Claim with the operator's tenant"),
  OIDC_PERMISSIONS_CLAIM: z.string().default('permissions').describe("Claim with the operator's permissions"),
  OIDC_TOKEN_TYPES: z
    .string()
    .default('at+jwt,JWT')
    .transform((text) => text.split(',').map(normalTokenType).filter(Boolean))
    .refine((types) => types.length > 0, 'must name at least one type')
    .describe('Header `typ` that operator tokens may have, comma separated; `none` allows tokens without one'),
  ...addresses,
  BOOTSTRAP_FILE: z.string().optional().describe('JSON document with the tenants, applications and keys to start with'),
  RECONCILE_INTERVAL: duration('15m').describe(
    'Wait between two comparisons of the activity of the last day with dispatch',
  ),
  RECONCILE_AFTER: duration('2m').describe('How long a change may take over the bus before it counts as lost'),
  STREAM_MEMORY: z.coerce
    .number()
    .int()
    .positive()
    .default(256 * 1024 * 1024)
    .describe(
      'Bytes that open event streams may take in one process, each counted as 48 KiB and what its reader has not taken; beyond it new streams are answered 503',
    ),
  RATE_LIMIT_KEY_PER_SECOND: perSecond.default(100).describe('Requests a second of one API key, or one operator'),
  RATE_LIMIT_ADDRESS_PER_SECOND: perSecond
    .default(100)
    .describe('Failed calls a second of one address: without credentials, with wrong ones, with a wrong signature'),
  RATE_LIMIT_TENANT_PER_SECOND: perSecond.default(500).describe('Requests a second of one tenant'),
})
export type Config = z.output<typeof Config>

/** The internal address of a service that owns public routes. */
export function peerUrl(config: Config, service: ServiceName): string {
  return (config as Record<string, unknown>)[addressVariable(service)] as string
}
