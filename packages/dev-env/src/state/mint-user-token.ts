import { createPrivateKey, sign } from 'node:crypto'
import type { State } from './state.ts'

const lifetimeSeconds = 365 * 24 * 60 * 60

/** A token of the demo user that lives a year, as inbox-stream would issue it for a day at most. */
export function mintUserToken({ user_token_key, tenant_id, application_id, user_id }: State): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
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
  const text = `${encode({ alg: 'ES256', typ: 'user+jwt', kid: user_token_key.kid })}.${encode(claims)}`
  const key = createPrivateKey({ key: { ...user_token_key }, format: 'jwk' })
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
