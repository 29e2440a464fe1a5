import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'
import type { IndexKeys } from './blind-index.ts'

/** Seals what a link carries, so that only we can read and make it. */
export interface LinkSeal {
  /** @returns base64url */
  seal(content: string): string
  /** @returns undefined for a text that was not sealed with one of the keys; it costs about as much as one that was */
  open(token: string): string | undefined
}

const ivBytes = 12
const tagBytes = 16
/** Longer texts are no tokens, so what strangers send costs no more than a real one: 3 KB, of which a URL may be 2,048 characters. */
const longestToken = 4200
const cipher = 'aes-256-gcm'

/**
 * AES-256-GCM under keys of its own (HKDF, RFC 5869). Tokens do not expire, and a rotation of the key ring does not end them.
 * @param masterKeys the keys of the blind indexes, 32 bytes each: the last one seals, all open
 * @param purpose tokens of one purpose are not valid for another
 */
export function createLinkSeal(masterKeys: IndexKeys, purpose: string): LinkSeal {
  const newestFirst = masterKeys
    .map((key) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `link-seal|${purpose}`, 32))))
    .reverse()
  return {
    seal(content) {
      const iv = randomFillSync(Buffer.allocUnsafe(ivBytes))
      const sealing = createCipheriv(cipher, newestFirst[0]!, iv)
      const body = Buffer.concat([sealing.update(content, 'utf8'), sealing.final()])
      return Buffer.concat([iv, sealing.getAuthTag(), body]).toString('base64url')
    },
    open(token) {
      if (token.length > longestToken || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined
      const bytes = Buffer.from(token, 'base64url')
      // One form alone: a decoder ignores surplus characters and bits.
      if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== token) return undefined
      for (const key of newestFirst) {
        const opened = openWith(key, bytes)
        if (opened !== undefined) return opened
      }
      return undefined
    },
  }
}

function openWith(key: KeyObject, bytes: Buffer): string | undefined {
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes))
  opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
