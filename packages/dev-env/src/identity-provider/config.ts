import { readSecretFiles } from '@notify/service-kit/secret-files'

/** A client of the development identity provider, and the claims of its tokens. */
export interface ProviderClient {
  client_id: string
  client_secret: string
  tenant_id: string
  permissions: string[]
  /** Further claims of its tokens. */
  claims?: object
}

/** The login of the operators' console: a public client, and the page to choose an operator. */
export interface ConsoleLogin {
  client_id: string
  redirect_uris: string[]
  /** Where the browser goes after signing out. */
  post_logout_redirect_uris: string[]
  /** Seconds that an access token is valid; the console renews it with its refresh token. */
  access_token_s: number
}

export interface ProviderConfig {
  host: string
  port: number
  issuer: string
  audience: string
  jwks: { keys: object[] }
  clients: ProviderClient[]
  /** None: browser logins are disabled. */
  console?: ConsoleLogin | undefined
}

/**
 * Reads the identity provider's configuration: PORT, ISSUER, AUDIENCE, IDP_JWKS (private keys, so that tokens survive a
 * restart), IDP_CLIENTS (JSON list of {@link ProviderClient}), IDP_CONSOLE (JSON of {@link ConsoleLogin}), HOST (default 127.0.0.1).
 * `IDP_JWKS_FILE` and `IDP_CLIENTS_FILE` name files with the values of those.
 */
export function readConfig(env: NodeJS.ProcessEnv): ProviderConfig {
  const { values, faults } = readSecretFiles(env, ['IDP_JWKS', 'IDP_CLIENTS'])
  const required = (name: string) => {
    const value = values[name]
    if (!value) throw new Error(`${name} ${faults.get(name) ?? 'is missing'}`)
    return value
  }
  return {
    host: env.HOST ?? '127.0.0.1',
    port: Number(required('PORT')),
    issuer: required('ISSUER'),
    audience: required('AUDIENCE'),
    jwks: JSON.parse(required('IDP_JWKS')) as ProviderConfig['jwks'],
    clients: JSON.parse(required('IDP_CLIENTS')) as ProviderClient[],
    console: env.IDP_CONSOLE ? (JSON.parse(env.IDP_CONSOLE) as ConsoleLogin) : undefined,
  }
}
