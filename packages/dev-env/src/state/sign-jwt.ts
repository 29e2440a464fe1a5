import { createPrivateKey, sign } from 'node:crypto'
import type { PrivateJwk } from './state.ts'

/** Signs a JSON Web Token (RFC 7515). @param header replaces parts of its header */
export function signJwt(key: PrivateJwk, claims: object, header: object = {}): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const text = `${encode({ alg: 'ES256', kid: key.kid, ...header })}.${encode(claims)}`
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' })
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
