import type { KeyRing } from '@notify/privacy'
import { secretAad } from '../db/aad.ts'

/** Encrypts a provider's signing secret for its row. */
export const sealSecret = (keyRing: KeyRing, secret: string, tenantId: string, providerId: string): Buffer =>
  keyRing.encrypt(secret, secretAad(tenantId, providerId))

/** A provider's signing secret, from its row. */
export const openSecret = (keyRing: KeyRing, sealed: Buffer, tenantId: string, providerId: string): string =>
  keyRing.decrypt(sealed, secretAad(tenantId, providerId))
