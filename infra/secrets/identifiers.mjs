import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** @returns an identifier of 26 digits after its prefix, which begins with the time: `ten_06f2…` */
export function makeId(prefix) {
  return `${prefix}_${base32(BigInt(Date.now()), 10)}${random(16)}`
}

/** `sk_live_<key id><secret><checksum>`, as packages/privacy/src/api-key.ts reads it. */
export function mintApiKey() {
  const keyId = makeId('key')
  const body = `sk_live_${keyId.slice('key_'.length)}${random(40)}`
  const text = body + base32(BigInt(crc32(body)), 7)
  return { keyId, text, sha256: createHash('sha256').update(text).digest('hex') }
}

function random(length) {
  return base32(BigInt(`0x${randomBytes(length).toString('hex')}`), length)
}

/** Digits of Crockford's base32, as identifiers and keys are written. */
function base32(value, length) {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
  return Array.from({ length }, (_, i) => alphabet[Number((value >> BigInt(5 * (length - 1 - i))) & 31n)]).join('')
}
