import type { KeyRing } from '@notify/privacy'
import { secretPlace } from '../db/places.ts'

/** Encrypts a provider's signing secret for its row. */
export const sealSecret = (keyRing: KeyRing, secret: string, tenantId: string, providerId: string): Buffer =>
  keyRing.encrypt(secret, secretPlace(tenantId, providerId))

/** A provider's signing secret, from its row. */
export const openSecret = (keyRing: KeyRing, sealed: Buffer, tenantId: string, providerId: string): string =>
  keyRing.decrypt(sealed, secretPlace(tenantId, providerId))
