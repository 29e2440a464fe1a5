import { createHmac, createSecretKey } from 'node:crypto'

/** A keyed digest of a JSON value, independent of key order. */
export type Fingerprint = (value: unknown) => string

/**
 * HMAC-SHA256 of the canonical text: a plain hash of a phone number or code could be guessed.
 * @param key 32 bytes
 */
export function createFingerprint(key: Buffer): Fingerprint {
  const secret = createSecretKey(key)
  return (value) => createHmac('sha256', secret).update(canonicalJson(value)).digest('base64url')
}

/** JSON with sorted keys and no white space; RFC 8785 for values from `JSON.parse`. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const entries = Object.entries(value).filter(([, child]) => child !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonicalJson(child)}`).join(',')}}`
}
