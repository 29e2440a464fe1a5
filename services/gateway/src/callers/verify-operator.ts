import { OperatorPermission, OperatorPrincipal, type OperatorProfile } from '@notify/contracts'
import { createPseudonym, type Pseudonym } from '@notify/privacy'
import { Problem } from '@notify/service-kit'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { type Config, normalTokenType } from '../config.ts'
import { claimAt } from './claim-at.ts'
import { readDiscovery } from './read-discovery.ts'

const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']
const keysTimeoutMs = 3000
/** Clocks of issuer and gateway may differ by this much. */
const clockToleranceSeconds = 60
/** An unknown key id fetches the keys again, at most this often. */
const refetchAfterMs = 5000

/** An operator, and what the access token says about them. */
export interface VerifiedOperator {
  principal: OperatorPrincipal
  profile: OperatorProfile
}

export type VerifyOperator = (token: string) => Promise<VerifiedOperator>

/**
 * Verifies access tokens of the identity provider: issuer, audience, expiry and signature.
 * Replaces `sub`, often an address or name, by a pseudonym.
 */
export function createOperatorVerifier(config: Config): VerifyOperator {
  // The first, so that an operator keeps the pseudonym that the audit log has.
  const pseudonym = createPseudonym(config.BLIND_INDEX_KEY[0])
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined
  return async (token) => {
    keys ??= findKeys(config)
    keys.catch(() => {
      keys = undefined
    })
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await keys, {
        issuer: config.OIDC_ISSUER,
        audience: config.OIDC_AUDIENCE,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['exp', 'sub'],
      })
      requireType(protectedHeader.typ, config)
      return principalOf(payload, config, pseudonym)
    } catch (error) {
      throw error instanceof Problem ? error : refusal(error)
    }
  }
}

/** The issuer's keys, where they are configured or else where it publishes them. */
async function findKeys({ OIDC_ISSUER, OIDC_JWKS_URL, OIDC_KEYS_MAX_AGE }: Config) {
  return createRemoteJWKSet(new URL(OIDC_JWKS_URL ?? (await discoverKeys(OIDC_ISSUER))), {
    timeoutDuration: keysTimeoutMs,
    cooldownDuration: refetchAfterMs,
    cacheMaxAge: OIDC_KEYS_MAX_AGE,
  })
}

async function discoverKeys(issuer: string): Promise<string> {
  const { jwks_uri } = await readDiscovery(issuer)
  if (typeof jwks_uri !== 'string') throw new TypeError('the issuer publishes no jwks_uri')
  return jwks_uri
}

/** Refuses tokens for other purposes, such as logout tokens (RFC 8725, 3.11). */
function requireType(typ: string | undefined, { OIDC_TOKEN_TYPES }: Config): void {
  if (OIDC_TOKEN_TYPES.includes(typ === undefined ? 'none' : normalTokenType(typ))) return
  throw unauthenticated(`The access token has none of the types ${OIDC_TOKEN_TYPES.join(', ')} in its header typ`)
}

/** Storable text; a subject has at most 255 characters (OpenID Connect Core 1.0, section 2). */
const Text = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text))

const Claims = z.object({
  subject: Text,
  tenant_id: Text.optional(),
  permissions: z
    .union([z.string().transform((text) => text.split(' ')), z.array(z.string())])
    .optional()
    .transform((names = []) => names),
})

function principalOf(payload: JWTPayload, config: Config, pseudonym: Pseudonym): VerifiedOperator {
  const claims = Claims.safeParse({
    subject: payload.sub,
    tenant_id: claimAt(payload, config.OIDC_TENANT_CLAIM),
    permissions: claimAt(payload, config.OIDC_PERMISSIONS_CLAIM),
  })
  if (!claims.success) {
    const { OIDC_TENANT_CLAIM, OIDC_PERMISSIONS_CLAIM } = config
    throw unauthenticated(
      `The claims sub and ${OIDC_TENANT_CLAIM} must be text of 1 to 255 characters, ${OIDC_PERMISSIONS_CLAIM} a list of names`,
    )
  }
  const known: readonly string[] = OperatorPermission.options
  const parsed = OperatorPrincipal.safeParse({
    kind: 'operator',
    ...claims.data,
    permissions: claims.data.permissions.filter((name) => known.includes(name)),
  })
  if (parsed.success) {
    const { tenant_id, subject } = parsed.data
    return {
      principal: { ...parsed.data, subject: pseudonym(tenant_id, subject) },
      profile: profileOf(payload, config),
    }
  }
  throw new Problem('permission_denied', `The access token has no tenant in its claim ${config.OIDC_TENANT_CLAIM}`)
}

/** Names that cannot be stored are left out: an identity provider may send anything here. */
function profileOf(payload: JWTPayload, { OIDC_NAME_CLAIM, OIDC_EMAIL_CLAIM }: Config): OperatorProfile {
  const textAt = (claim: string) => Text.safeParse(claimAt(payload, claim)).data ?? null
  return { name: textAt(OIDC_NAME_CLAIM), email: textAt(OIDC_EMAIL_CLAIM) }
}

const tokenFaults = [
  errors.JWTInvalid,
  errors.JWTClaimValidationFailed,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
]

/** A bad token is the caller's fault; an unreachable issuer is not. */
function refusal(error: unknown): Problem {
  if (error instanceof errors.JWTExpired) return unauthenticated('The access token has expired', error)
  if (tokenFaults.some((fault) => error instanceof fault)) {
    return unauthenticated('The access token is not valid', error)
  }
  return new Problem('service_unavailable', 'The identity provider does not respond; try again shortly', {
    headers: { 'Retry-After': '2' },
    cause: error,
  })
}

export function unauthenticated(detail: string, cause?: unknown): Problem {
  return new Problem('unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer' }, cause })
}
