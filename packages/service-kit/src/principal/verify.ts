import { Principal } from '@notify/contracts'
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { Problem } from '../problem.ts'
import { principalIssuer } from './sign.ts'

/** The header in which the gateway passes the principal on; stripped from requests that come from outside. */
export const principalHeader = 'x-principal'

const cacheSize = 10_000

export type VerifyPrincipal = (token: string | undefined) => Promise<Principal>

/** Verifies principals that the gateway signed; a token is checked once and remembered until it expires. */
export function createPrincipalVerifier(jwks: JSONWebKeySet): VerifyPrincipal {
  const keys = createLocalJWKSet(jwks)
  const cache = new Map<string, { principal: Promise<Principal>; expiresAtMs: number }>()
  return (token) => {
    if (!token) return Promise.reject(new Problem('unauthenticated', 'This service is reached through the gateway'))
    const known = cache.get(token)
    if (known && known.expiresAtMs > Date.now()) return known.principal
    if (cache.size >= cacheSize) cache.clear()
    const entry = {
      principal: Promise.resolve() as unknown as Promise<Principal>,
      expiresAtMs: Number.POSITIVE_INFINITY,
    }
    entry.principal = jwtVerify(token, keys, {
      issuer: principalIssuer,
      typ: 'principal+jwt',
      requiredClaims: ['exp'],
      algorithms: ['ES256'],
    }).then(({ payload }) => {
      entry.expiresAtMs = (payload.exp ?? 0) * 1000
      return readPrincipal(payload.principal)
    })
    entry.principal.catch(() => cache.delete(token))
    cache.set(token, entry)
    return entry.principal.catch((error: unknown) => {
      if (error instanceof errors.JOSEError)
        throw new Problem('unauthenticated', 'The principal is not valid', { cause: error })
      throw error
    })
  }
}

/** Signed by the gateway and yet unreadable: a newer release of it, to which another replica of ours may belong. */
function readPrincipal(claim: unknown): Principal {
  const { success, data, error } = Principal.safeParse(claim)
  if (success) return data
  throw new Problem('service_unavailable', 'This release does not know this kind of caller; try again shortly', {
    headers: { 'Retry-After': '1' },
    cause: error,
  })
}
