import { markOf, recipientTag } from '@notify/carriers/sending'
import type { Id } from '@notify/contracts'
import type { Fingerprint } from '@notify/privacy'

interface Of {
  id: Id<'notif'>
  tenantId: Id<'ten'>
}

const saltBytes = 8

/** Keyed, so that nobody who reads a mark can guess the address. */
function saltOf(fingerprint: Fingerprint, { id, tenantId }: Of): string {
  return Buffer.from(fingerprint(['copies', tenantId, id]), 'base64url').toString('hex', 0, saltBytes)
}

/** The mark by which receipts name the recipient of a copy. */
export const copyMark = (fingerprint: Fingerprint, of: Of, to: string): string => markOf(saltOf(fingerprint, of), to)

/** What travels with a message that has copies. */
export const copiesTag = (fingerprint: Fingerprint, of: Of, to: string): string =>
  recipientTag(saltOf(fingerprint, of), to)
