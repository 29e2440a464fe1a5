import { readDiscovery } from '../callers/read-discovery.ts'

/** The calls of the console's scripts. Login and logout are page navigations, which the policy does not restrict. */
const calledEndpoints = ['token_endpoint', 'userinfo_endpoint', 'revocation_endpoint'] as const
const refreshAfterMs = 60_000
const retryAfterMs = 1000

/** Only scheme, host and port: `*` and `;` are valid in a host, but have a meaning in a policy. */
const plainOrigin = /^https?:\/\/(?:[a-z\d.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/

/** The origins that the console may call to sign in; always that of the issuer. */
export type IssuerOrigins = () => Promise<readonly string[]>

/**
 * Takes the origins of the issuer's endpoints from its discovery document, which is read again every minute while the
 * console is used. While the issuer does not answer, the origins stay as they were.
 */
export function createIssuerOrigins(issuer: string, read = readDiscovery): IssuerOrigins {
  let origins: readonly string[] = [new URL(issuer).origin]
  let isKnown = false
  let readAgainAt = 0
  let reading: Promise<void> | undefined
  const refresh = async () => {
    try {
      origins = originsIn(issuer, await read(issuer))
      isKnown = true
      readAgainAt = Date.now() + refreshAfterMs
    } catch {
      readAgainAt = Date.now() + retryAfterMs
    } finally {
      reading = undefined
    }
  }
  return async () => {
    if (Date.now() >= readAgainAt) reading ??= refresh()
    // Only the first page waits for the issuer.
    if (!isKnown) await reading
    return origins
  }
}

/** The origins of the endpoints that use https; an issuer in development may use http. */
export function originsIn(issuer: string, document: Readonly<Record<string, unknown>>): string[] {
  const own = new URL(issuer)
  const endpoints = calledEndpoints.map((name) => document[name])
  const others = endpoints.flatMap((endpoint) => {
    const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
    const isAllowed =
      url && (url.protocol === 'https:' || url.protocol === own.protocol) && plainOrigin.test(url.origin)
    return isAllowed ? [url.origin] : []
  })
  return [...new Set([own.origin, ...others])]
}
