import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { randomHex } from '../random-hex.ts'
import { errors, type SesError } from './errors.ts'
import type { Dkim } from './identity.ts'
import type { SigningAttributes } from './identity-requests.ts'

const smallestKeyBits = 1024
const largestKeyBits = 2048

/** The signing method that the attributes ask for; without any, SES makes the keys. */
export function readDkim(attributes: SigningAttributes | undefined): Dkim | { error: SesError } {
  const { DomainSigningSelector: selector, DomainSigningPrivateKey: key } = attributes ?? {}
  if (!selector && !key) return { origin: 'AWS_SES', tokens: [randomHex(), randomHex(), randomHex()] }
  if (!selector || !key) {
    return { error: errors.badRequest('DomainSigningSelector and DomainSigningPrivateKey must be given together.') }
  }
  const privateKey = readRsaKey(Buffer.from(key, 'base64'))
  const bits = privateKey?.asymmetricKeyDetails?.modulusLength ?? 0
  if (!privateKey || bits < smallestKeyBits || bits > largestKeyBits) {
    return { error: errors.badRequest('DomainSigningPrivateKey must be an RSA private key of 1024 to 2048 bits.') }
  }
  return { origin: 'EXTERNAL', selector, publicKey: createPublicKey(privateKey) }
}

/** A key in DER: PKCS #1, as OpenSSL 1 writes it, or PKCS #8. */
function readRsaKey(der: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8'] as const) {
    try {
      const key = createPrivateKey({ key: der, format: 'der', type })
      if (key.asymmetricKeyType === 'rsa') return key
    } catch {}
  }
  return undefined
}
