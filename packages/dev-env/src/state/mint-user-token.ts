import { signJwt } from './sign-jwt.ts'
import type { State } from './state.ts'

const lifetimeSeconds = 365 * 24 * 60 * 60

/** A token of the demo user that lives a year, as inbox-stream would issue it for a day at most. */
export function mintUserToken({ user_token_key, tenant_id, application_id, user_id }: State): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'notification-service',
    aud: 'urn:notify:inbox',
    sub: user_id,
    tenant_id,
    application_id,
    mode: 'live',
    iat,
    exp: iat + lifetimeSeconds,
  }
  return signJwt(user_token_key, claims, { typ: 'user+jwt' })
}
