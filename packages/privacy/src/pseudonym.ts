import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'

/** Maps a tenant's operator to a stable pseudonym. */
export type Pseudonym = (tenantId: string, subject: string) => string

const nameBytes = 16

/**
 * HMAC-SHA256 under its own key (HKDF, RFC 5869), truncated to 128 bits, as base64url. Pseudonyms differ by tenant, and
 * a guess cannot be verified without the key.
 * @param masterKey 32 bytes
 */
export function createPseudonym(masterKey: Buffer): Pseudonym {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', 'pseudonym', 32)))
  return (tenantId, subject) =>
    createHmac('sha256', key).update(`${tenantId}\0${subject}`).digest().subarray(0, nameBytes).toString('base64url')
}
