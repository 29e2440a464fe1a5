import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pattern =
  /^sk_(live|test)_(?:([a-z][a-z0-9]{0,15})_)?([0-9a-hjkmnp-tv-z]{26})([0-9a-hjkmnp-tv-z]{40})([0-9a-hjkmnp-tv-z]{7})$/

export type KeyMode = 'live' | 'test'

export interface ParsedApiKey {
  mode: KeyMode
  /** The cell that made the key; absent from keys of an installation without cells. */
  cell?: string
  /** `key_…`, the public id of the key. */
  keyId: `key_${string}`
  /** SHA-256 of the whole key in hex, for storage. The secret has 200 random bits, so a plain hash is safe. */
  sha256: string
}

/**
 * Makes an API key: `sk_live_<key id><secret><checksum>`, or `sk_live_<cell>_…`, with a secret of 200 random bits and the CRC32 of all before
 * it, so that typing errors are refused without a lookup.
 * @param keyId the record's identifier, `key_…`
 * @param cell the cell that makes it: a router can read it without knowing the key
 */
export function mintApiKey(mode: KeyMode, keyId: string, cell?: string): { apiKey: string; sha256: string } {
  const secret = Array.from(randomBytes(40), (byte) => alphabet[byte & 31]).join('')
  const prefix = cell === undefined ? `sk_${mode}` : `sk_${mode}_${cell}`
  const body = `${prefix}_${keyId.slice('key_'.length)}${secret}`
  const apiKey = body + checksum(body)
  return { apiKey, sha256: sha256(apiKey) }
}

/** Parses an API key; `undefined` for a wrong form or checksum. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, mode, cell, id, , sum] = match
  if (checksum(text.slice(0, -7)) !== sum) return undefined
  return { mode: mode as KeyMode, ...(cell !== undefined && { cell }), keyId: `key_${id}`, sha256: sha256(text) }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < 7; i++) {
    digits = alphabet[rest & 31] + digits
    rest >>>= 5
  }
  return digits
}
