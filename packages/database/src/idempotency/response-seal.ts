import type { KeyRing } from '@notify/privacy'
import type { Seal } from './run-idempotently.ts'

/** A stored response can be decrypted only in its own row. */
export function sealOf(keyRing: KeyRing, scope: string, key: string): Seal {
  const aad = `idempotency_keys|${scope}|${key}`
  return {
    seal: (text) => keyRing.encrypt(text, aad).toString('base64'),
    open: (sealed) => keyRing.decrypt(Buffer.from(sealed, 'base64'), aad),
  }
}
