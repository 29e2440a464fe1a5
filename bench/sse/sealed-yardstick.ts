import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

/** AES-256-GCM alone: the least cost of decrypting an event. */
const key = createSecretKey(Buffer.alloc(32, 'yardstick'))
const [ivBytes, tagBytes] = [12, 16]
const aad = Buffer.from('yardstick')

export function sealForYardstick(text: string): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

export function openForYardstick(sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes))
    .setAAD(aad)
    .setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  const body = decipher.update(sealed.subarray(ivBytes + tagBytes))
  decipher.final()
  return body
}
