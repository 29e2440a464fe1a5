import { createHash, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'

/** The stored proof of a code, and its comparison with a code. */
export interface CodeProof {
  /** HMAC-SHA256 over transaction and code, base64url: it verifies only in this transaction. */
  of(transactionId: string, code: string): string
  /**
   * A salt, and the hash of salt and proof. Postgres compares salted hashes, so the time of its comparison reveals
   * nothing about the proof.
   */
  challenge(transactionId: string, code: string): { salt: string; answer: string }
}

/** @param masterKey 32 bytes outside the database; a key for codes alone is derived from it (HKDF, RFC 5869) */
export function createCodeProof(masterKey: Buffer): CodeProof {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, '', 'one-time codes', 32)))
  const of = (transactionId: string, code: string) =>
    createHmac('sha256', key).update(`${transactionId}|${code}`).digest('base64url')
  return {
    of,
    challenge(transactionId, code) {
      const salt = randomBytes(16).toString('hex')
      const answer = createHash('sha256')
        .update(salt + of(transactionId, code))
        .digest('hex')
      return { salt, answer }
    },
  }
}

/** SQL for whether a proof answers a challenge; null when there is no proof. */
export const answers = (proof: string, salt: string, answer: string) =>
  `(encode(sha256(convert_to(${salt} || ${proof}, 'UTF8')), 'hex') = ${answer})`
