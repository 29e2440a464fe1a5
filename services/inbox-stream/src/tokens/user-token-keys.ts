import type { JSONWebKeySet, JWK } from 'jose'
import { z } from 'zod'

const isPrivateKey = (value: unknown): value is JWK & { kid: string } => {
  const { kty, crv, d, kid } = (value ?? {}) as JWK
  return kty === 'EC' && crv === 'P-256' && typeof d === 'string' && typeof kid === 'string' && kid !== ''
}

/**
 * The keys of user tokens: the first signs, all verify. A new key goes behind the first until every replica knows it, then to
 * the front; the old one is removed once its last token has expired.
 */
export const UserTokenKeys = z
  .object({
    keys: z
      .array(z.custom<JWK & { kid: string }>(isPrivateKey, 'must be private ES256 JWKs (EC, P-256), each with a kid'))
      .min(1, 'must have at least one key')
      .refine((keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must not have one kid twice'),
  })
  .transform(({ keys }) => keys)
export type UserTokenKeys = z.output<typeof UserTokenKeys>

/** The public part of the keys. */
export function publicKeys(keys: UserTokenKeys): JSONWebKeySet {
  return { keys: keys.map(({ kty, crv, x, y, kid }) => ({ kty, crv, x, y, kid, alg: 'ES256', use: 'sig' }) as JWK) }
}
