import { generateKeyPairSync, randomBytes } from 'node:crypto'

/** @returns a private ES256 JWK. Its `kid` begins with the owner's name: only the gateway's keys vouch for callers */
export function makeSigningKey(owner) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = `${owner}-${randomBytes(8).toString('hex')}`
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }
}

export function publicHalf({ d: _, ...jwk }) {
  return jwk
}
