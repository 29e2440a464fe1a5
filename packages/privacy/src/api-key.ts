import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const pattern = /^sk_(live|test)_([0-9a-hjkmnp-tv-z]{26})([0-9a-hjkmnp-tv-z]{40})([0-9a-hjkmnp-tv-z]{7})$/

export type KeyMode = 'live' | 'test'

export interface ParsedApiKey {
  mode: KeyMode
  /** `key_…`, the public name of the key. */
  keyId: `key_${string}`
  /** SHA-256 of the whole key, hexadecimal: what is stored. The secret has 200 random bits, so a plain hash cannot be guessed. */
  sha256: string
}

/**
 * Makes the secret text of an API key: `sk_live_<key id><secret><checksum>`. The secret has 200 random bits, the checksum
 * is the CRC32 of all before it, so that a typing error is refused without a look-up.
 * @param keyId the record's identifier, `key_…`
 */
export function mintApiKey(mode: KeyMode, keyId: string): { apiKey: string; sha256: string } {
  const secret = Array.from(randomBytes(40), (byte) => alphabet[byte & 31]).join('')
  const body = `sk_${mode}_${keyId.slice('key_'.length)}${secret}`
  const apiKey = body + checksum(body)
  return { apiKey, sha256: sha256(apiKey) }
}

/** Reads an API key; `undefined` when the text is not one (form or checksum). */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, mode, id, , sum] = match
  if (checksum(text.slice(0, -7)) !== sum) return undefined
  return { mode: mode as KeyMode, keyId: `key_${id}`, sha256: sha256(text) }
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
