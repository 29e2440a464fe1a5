import { randomBytes } from 'node:crypto'
import Provider, { type AccessToken } from 'oidc-provider'
import type { ProviderConfig } from './config.ts'
import { MemoryAdapter } from './memory-adapter.ts'

const yearS = 365 * 24 * 60 * 60

/**
 * An OpenID Connect provider for development: client credentials, JWT access tokens (ES256) with the client's tenant and
 * permissions. A client with redirect_uris may also use the authorization code flow with PKCE.
 */
export function createProvider({ issuer, audience, jwks, clients }: ProviderConfig): Provider {
  const claims = new Map(
    clients.map(({ client_id, tenant_id, permissions, claims: further }) => [
      client_id,
      { tenant_id, permissions, ...further },
    ]),
  )
  return new Provider(issuer, {
    adapter: MemoryAdapter,
    jwks,
    clients: clients.map(({ client_id, client_secret, redirect_uris = [] }) => ({
      client_id,
      client_secret,
      redirect_uris,
      response_types: redirect_uris.length > 0 ? ['code'] : [],
      grant_types: ['client_credentials', ...(redirect_uris.length > 0 ? ['authorization_code'] : [])],
    })),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    // Without the API's own scope: listed here, it would make consent screens loop.
    scopes: ['openid', 'offline_access'],
    ttl: { ClientCredentials: yearS, AccessToken: yearS },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'api',
          audience,
          accessTokenTTL: yearS,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    extraTokenClaims: (_ctx: unknown, token: AccessToken) => claims.get(token.clientId ?? ''),
  })
}
