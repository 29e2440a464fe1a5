import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'

/** Turns who acts for a tenant into a name that tells the same person again, and nobody who it is. */
export type Pseudonym = (tenantId: string, subject: string) => string

const nameBytes = 16

/**
 * HMAC-SHA256 under a key of its own (HKDF, RFC 5869), cut to 128 bits and written as base64url: the same subject of two tenants
 * has two names, and one that somebody guesses cannot be checked without the key.
 * @param masterKey 32 bytes
 */
export function createPseudonym(masterKey: Buffer): Pseudonym {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', 'pseudonym', 32)))
  return (tenantId, subject) =>
    createHmac('sha256', key).update(`${tenantId}\0${subject}`).digest().subarray(0, nameBytes).toString('base64url')
}
