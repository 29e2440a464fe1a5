import { signJwt } from '../state/sign-jwt.ts'
import type { PrivateJwk } from '../state/state.ts'
import { audience } from './operator-clients.ts'

/**
 * Signs an access token of an operator with the provider's own key, as the provider does.
 * @param claims replace those that are made here; `iss` and `tenant_id` are required
 */
export function signOperatorToken(
  key: PrivateJwk,
  claims: { iss: string; tenant_id: string; [claim: string]: unknown },
  { lifetimeSeconds = 600, header = {} }: { lifetimeSeconds?: number; header?: object } = {},
): string {
  const iat = Math.floor(Date.now() / 1000)
  return signJwt(
    key,
    { aud: audience, sub: 'somebody', iat, exp: iat + lifetimeSeconds, ...claims },
    { typ: 'at+jwt', ...header },
  )
}
