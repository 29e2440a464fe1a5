import type { Principal, ServiceName } from '@notify/contracts'
import { importJWK, type JWK, SignJWT } from 'jose'

/** The issuer of tokens signed by a service. */
export const principalIssuer = (service: ServiceName) => `notify-${service}`
/** How far the clocks of two services may differ, in seconds. */
export const clockSkewSeconds = 60
/** Lifetime of a signed principal, in seconds. */
export const principalLifetimeSeconds = 120
const renewAfterMs = 60_000
const cacheSize = 10_000

/** Signs a principal; the token is reused for the same caller for a minute. */
export type SignPrincipal = (principal: Principal) => Promise<string>

/**
 * @param key private ES256 JWK of the signing service; its `kid` starts with the service's name
 * @param signer the gateway signs principals of its callers, every other service only its own
 */
export async function createPrincipalSigner(key: JWK, signer: ServiceName = 'gateway'): Promise<SignPrincipal> {
  const privateKey = await importJWK(key, 'ES256')
  const ids = new WeakMap<Principal, string>()
  // Authentication caches callers, so the same object comes again.
  const idOf = (principal: Principal) => {
    let id = ids.get(principal)
    if (id === undefined) {
      id = JSON.stringify(principal)
      ids.set(principal, id)
    }
    return id
  }
  const cache = new Map<string, { token: Promise<string>; signedAtMs: number }>()
  return (principal) => {
    const id = idOf(principal)
    const known = cache.get(id)
    const nowMs = Date.now()
    // Negative after the clock was set back; then the principal is signed again, because the wrong clock had signed it.
    const ageMs = known ? nowMs - known.signedAtMs : -1
    if (known && ageMs >= 0 && ageMs < renewAfterMs) return known.token
    if (cache.size >= cacheSize) cache.clear()
    const token = new SignJWT({ principal })
      .setProtectedHeader({ alg: 'ES256', kid: key.kid ?? signer, typ: 'principal+jwt' })
      .setIssuer(principalIssuer(signer))
      .setIssuedAt()
      .setExpirationTime(`${principalLifetimeSeconds}s`)
      .sign(privateKey)
    cache.set(id, { token, signedAtMs: nowMs })
    return token
  }
}
