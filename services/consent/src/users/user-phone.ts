import type { KeyRing } from '@notify/privacy'
import type { UserKey } from './user-store.ts'

/** AAD of the encrypted number of a user. */
export const phonePlace = (tenantId: string, userIndex: string) => `users|${tenantId}|${userIndex}`

export function sealPhone(keyRing: KeyRing, { tenantId, userIndex }: UserKey, phone: string): Buffer {
  return keyRing.encrypt(phone, phonePlace(tenantId, userIndex))
}

export function openPhone(keyRing: KeyRing, { tenantId, userIndex }: UserKey, sealed: Buffer): string {
  return keyRing.decrypt(sealed, phonePlace(tenantId, userIndex))
}
