import { createHash, createPrivateKey, type KeyObject } from 'node:crypto'

/** What notifications are signed with, and what a receiver checks them against. */
export interface SigningKey {
  privateKey: KeyObject
  /** PEM. */
  certificate: string
  /** The certificate's file name; it changes with the certificate, as receivers remember certificates by address. */
  fileName: string
}

const validMs = 365 * 24 * 3_600_000

/** A new RSA key of 2048 bits with a self-signed certificate. The library is loaded only when events have a subscriber. */
export async function createSigningKey(): Promise<SigningKey> {
  // CommonJS: in a bundle that is loaded on demand its only export is `default`.
  const { default: selfsigned } = await import('selfsigned')
  const pems = await selfsigned.generate([{ name: 'commonName', value: 'sns.amazonaws.com' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + validMs),
  })
  return {
    privateKey: createPrivateKey(pems.private),
    certificate: pems.cert,
    fileName: `SimpleNotificationService-${createHash('md5').update(pems.cert).digest('hex')}.pem`,
  }
}
