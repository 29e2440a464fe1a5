import { Channel } from '@notify/contracts'
import type { ProviderClient } from '../identity-provider/config.ts'
import { signOperatorToken } from '../identity-provider/sign-operator-token.ts'
import type { PrivateJwk } from '../state/state.ts'
import type { Secrets } from './make-secrets.ts'

const tokenDays = 30

/** What to do first: the API key, an operator's token and a request. `env` may have the ports of docker-compose.yml. */
export function firstSteps({ apiKey, values }: Required<Secrets>, env: NodeJS.ProcessEnv): string {
  const address = (variable: string, port: number) => `http://127.0.0.1:${env[variable] || port}`
  const gateway = address('GATEWAY_PORT', 8080)
  return `API key:
  ${apiKey}
Operator's token, good for ${tokenDays} days:
  ${operatorToken(values, address('IDENTITY_PROVIDER_PORT', 8081))}

  curl --retry 30 --retry-all-errors ${gateway}/api/v1/notifications -H 'Content-Type: application/json' \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -d '{"channel":"sms","recipient":{"phone":"+15551230001"},"event_key":"order.shipped","data":{"name":"Ada","order":"1001"}}'

Open ${address('SANDBOX_PORT', 8088)} to see what arrived. The same event goes by ${Channel.options.join(', ')}: see ${gateway}/docs.
The operators' console is at ${gateway}/console; sign in as demo-operator.`
}

/** Signed without the provider, which may not run yet. */
function operatorToken({ IDP_CLIENTS, IDP_JWKS }: Secrets['values'], iss: string): string {
  const [{ client_id, tenant_id, permissions }] = JSON.parse(IDP_CLIENTS!) as [ProviderClient]
  const [key] = (JSON.parse(IDP_JWKS!) as { keys: [PrivateJwk] }).keys
  const claims = { iss, sub: client_id, client_id, tenant_id, permissions }
  return signOperatorToken(key, claims, { lifetimeSeconds: tokenDays * 24 * 60 * 60 })
}
