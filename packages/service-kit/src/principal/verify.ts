import { Principal, type ServiceName, servicePermissions } from '@notify/contracts'
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { Problem } from '../problem.ts'
import { ownerOf } from './key-owner.ts'
import { clockSkewSeconds, principalIssuer } from './sign.ts'

/** The header that carries the principal between services; stripped from external requests. */
export const principalHeader = 'x-principal'

const cacheSize = 10_000

export type VerifyPrincipal = (token: string | undefined) => Promise<Principal>

/**
 * Verifies signed principals and caches them until they expire. Only the gateway's keys may sign API keys and
 * operators; another service's key signs that service alone.
 */
export function createPrincipalVerifier(jwks: JSONWebKeySet): VerifyPrincipal {
  const keys = createLocalJWKSet(jwks)
  const cache = new Map<string, { principal: Promise<Principal>; expiresAtMs: number }>()
  return (token) => {
    if (!token) return Promise.reject(new Problem('unauthenticated', 'Call this service through the gateway'))
    const known = cache.get(token)
    if (known && known.expiresAtMs > Date.now()) return known.principal
    if (cache.size >= cacheSize) cache.clear()
    const entry = {
      principal: Promise.resolve() as unknown as Promise<Principal>,
      expiresAtMs: Number.POSITIVE_INFINITY,
    }
    entry.principal = jwtVerify(token, keys, {
      typ: 'principal+jwt',
      requiredClaims: ['exp'],
      algorithms: ['ES256'],
      clockTolerance: clockSkewSeconds,
    }).then(({ payload, protectedHeader }) => {
      // A token without `kid` could be verified by any key of the set, so its signer would be unknown.
      const signer = protectedHeader.kid === undefined ? undefined : ownerOf(protectedHeader.kid)
      if (!signer || payload.iss !== principalIssuer(signer)) throw invalid()
      entry.expiresAtMs = ((payload.exp ?? 0) + clockSkewSeconds) * 1000
      return vouchedFor(readPrincipal(payload.principal), signer)
    })
    entry.principal.catch(() => cache.delete(token))
    cache.set(token, entry)
    return entry.principal.catch((error: unknown) => {
      throw error instanceof errors.JOSEError ? invalid(error) : error
    })
  }
}

const invalid = (cause?: Error) => new Problem('unauthenticated', 'The principal is not valid', cause && { cause })

/** @throws Problem `unauthenticated` for a principal that the signer must not sign */
function vouchedFor(principal: Principal, signer: ServiceName): Principal {
  if (principal.kind !== 'service') {
    if (signer === 'gateway') return principal
  } else if (principal.service === signer) {
    const granted: readonly string[] = servicePermissions[signer] ?? []
    return { ...principal, permissions: principal.permissions.filter((permission) => granted.includes(permission)) }
  }
  throw new Problem('unauthenticated', `The service ${signer} cannot sign this principal`)
}

/** A valid signature over an unknown principal comes from a newer release, so another replica may understand it. */
function readPrincipal(claim: unknown): Principal {
  const { success, data, error } = Principal.safeParse(claim)
  if (success) return data
  throw new Problem('service_unavailable', 'This release does not support this kind of caller; try again shortly', {
    headers: { 'Retry-After': '1' },
    cause: error,
  })
}
