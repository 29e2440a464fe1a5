import type { KeyRing } from '@notify/privacy'
import type { UserKey } from './user-store.ts'

/** AAD of the encrypted number of a user. */
export const phoneAad = (tenantId: string, userIndex: string) => `users|${tenantId}|${userIndex}`

export function sealPhone(keyRing: KeyRing, { tenantId, userIndex }: UserKey, phone: string): Buffer {
  return keyRing.encrypt(phone, phoneAad(tenantId, userIndex))
}

export function openPhone(keyRing: KeyRing, { tenantId, userIndex }: UserKey, sealed: Buffer): string {
  return keyRing.decrypt(sealed, phoneAad(tenantId, userIndex))
}
