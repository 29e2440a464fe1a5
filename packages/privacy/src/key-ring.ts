import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomFillSync } from 'node:crypto'
import { base64Key } from './secret-config.ts'

const ivBytes = 12
const tagBytes = 16
const keyIdPattern = /^[A-Za-z0-9_-]{1,32}$/

/** AES-256-GCM encryption with the key id in the ciphertext, so that keys can be rotated. */
export interface KeyRing {
  /**
   * @param plain a text, or bytes
   * @param aad `table|tenant|row`: decryption requires the same
   * @returns key id length, key id, IV, tag and ciphertext in one buffer
   */
  encrypt(plain: string | Buffer, aad: string): Buffer
  /** @throws Error for an unknown key, a different AAD or a modified ciphertext */
  decrypt(sealed: Buffer, aad: string): string
  /** The same, without the decoding of the text: its UTF-8. */
  decryptBytes(sealed: Buffer, aad: string): Buffer
  /** The key used for encryption. */
  currentKeyId: string
  /** Whether ciphertexts of this key can be decrypted. */
  holds(keyId: string): boolean
}

/** Length of the prefix that {@link keyIdOf} needs. */
export const keyIdBytes = 33

/**
 * The key id of a ciphertext; its first {@link keyIdBytes} bytes are enough.
 * @returns undefined when it was not made by a key ring
 */
export function keyIdOf(sealed: Buffer): string | undefined {
  const length = sealed[0] ?? 0
  const id = sealed.toString('latin1', 1, 1 + length)
  return id.length === length && keyIdPattern.test(id) ? id : undefined
}

/**
 * @param text comma-separated `<key id>:<base64 of 32 bytes>`; the first encrypts, all decrypt
 * @throws Error naming the fault, never the key
 */
export function parseKeyRing(text: string): KeyRing {
  // Key objects: passing a plain buffer to Node costs ten times as much per call.
  const keys = new Map<string, KeyObject>()
  for (const part of text.split(',')) {
    const [id, key] = parsePart(part.trim())
    if (keys.has(id)) throw new Error(`names ${id} twice; each <key id>:<base64 of 32 bytes> needs an id of its own`)
    keys.set(id, key)
  }
  const [currentId, currentKey] = keys.entries().next().value!
  const prefix = Buffer.concat([Buffer.from([currentId.length]), Buffer.from(currentId, 'ascii')])
  const decryptBytes = (sealed: Buffer, aad: string) => {
    const idEnd = 1 + (sealed[0] ?? 0)
    const key = keys.get(sealed.toString('latin1', 1, idEnd))
    if (!key) throw new Error('the ciphertext was made with a key that ENCRYPTION_KEYS does not hold')
    const tagStart = idEnd + ivBytes
    const bodyStart = tagStart + tagBytes
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(idEnd, tagStart), {
      authTagLength: tagBytes,
    })
      .setAAD(Buffer.from(aad))
      .setAuthTag(sealed.subarray(tagStart, bodyStart))
    const body = decipher.update(sealed.subarray(bodyStart))
    decipher.final()
    return body
  }
  return {
    currentKeyId: currentId,
    holds: (keyId) => keys.has(keyId),
    encrypt(plain, aad) {
      const iv = nextIv()
      const cipher = createCipheriv('aes-256-gcm', currentKey, iv).setAAD(Buffer.from(aad))
      const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain)
      const rest = cipher.final()
      return Buffer.concat([prefix, iv, cipher.getAuthTag(), body, rest])
    },
    decrypt: (sealed, aad) => decryptBytes(sealed, aad).toString('utf8'),
    decryptBytes,
  }
}

const ivPool = Buffer.alloc(ivBytes * 1024)
let ivPoolAt = ivPool.length

/** A random IV from a pool: one system call serves a thousand. */
function nextIv(): Buffer {
  if (ivPoolAt === ivPool.length) {
    randomFillSync(ivPool)
    ivPoolAt = 0
  }
  ivPoolAt += ivBytes
  return Buffer.from(ivPool.subarray(ivPoolAt - ivBytes, ivPoolAt))
}

function parsePart(part: string): [id: string, key: KeyObject] {
  const [id = '', encoded = '', ...rest] = part.split(':')
  if (!keyIdPattern.test(id) || !base64Key.test(encoded) || rest.length > 0) {
    throw new Error('must be <key id>:<base64 of 32 bytes>, comma separated')
  }
  return [id, createSecretKey(Buffer.from(encoded, 'base64'))]
}
