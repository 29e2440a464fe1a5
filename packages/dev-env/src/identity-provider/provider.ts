import { randomBytes } from 'node:crypto'
import Provider, { type AccessToken } from 'oidc-provider'
import type { ConsoleLogin, ProviderConfig } from './config.ts'
import { MemoryAdapter } from './memory-adapter.ts'
import { answerSignOut, signInPath } from './sign-in.ts'

const dayS = 24 * 60 * 60
const yearS = 365 * dayS

/**
 * An OpenID Connect provider for development: JWT access tokens (ES256) with the tenant and the permissions of a client,
 * by client credentials, or by a login in the browser (authorization code with PKCE) as one of the clients.
 */
export function createProvider({ issuer, audience, jwks, clients, console: login }: ProviderConfig): Provider {
  const claims = new Map(
    clients.map(({ client_id, tenant_id, permissions, claims: further }) => [
      client_id,
      { tenant_id, permissions, ...further },
    ]),
  )
  return new Provider(issuer, {
    adapter: MemoryAdapter,
    jwks,
    clients: [
      ...clients.map(({ client_id, client_secret }) => ({
        client_id,
        client_secret,
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      })),
      ...(login ? [consoleClient(login)] : []),
    ],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    // Without the API's own scope: listed here, it would make consent screens loop.
    scopes: ['openid', 'offline_access'],
    ttl: {
      ClientCredentials: yearS,
      // A number here would override the resource server's lifetime.
      AccessToken: (_ctx: unknown, token: AccessToken) => token.resourceServer?.accessTokenTTL ?? yearS,
      // Short, so that each login asks for the account; a session that is being ended is looked up a second time.
      Session: (_ctx: unknown, { state }: { state?: object }) => (state ? 60 : 1),
      Grant: dayS,
      RefreshToken: dayS,
      Interaction: 3600,
    },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `${signInPath}/${uid}` },
    findAccount: (_ctx: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, name: accountId }),
    }),
    // A page of the console's origin asks for tokens.
    clientBasedCORS: () => true,
    issueRefreshToken: () => true,
    expiresWithSession: () => false,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: answerSignOut },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx: unknown, _resource: string, { clientId }: { clientId: string }) => ({
          scope: 'api',
          audience,
          accessTokenTTL: clientId === login?.client_id ? login.access_token_s : yearS,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    extraTokenClaims: (_ctx: unknown, token: AccessToken) => claims.get(token.accountId ?? token.clientId ?? ''),
  })
}

function consoleClient({ client_id, redirect_uris, post_logout_redirect_uris }: ConsoleLogin) {
  return {
    client_id,
    redirect_uris,
    post_logout_redirect_uris,
    token_endpoint_auth_method: 'none',
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
  }
}
