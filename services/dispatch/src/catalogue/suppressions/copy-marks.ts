import { markOf, recipientTag } from '@notify/carriers/sending'
import type { Id } from '@notify/contracts'
import type { BlindIndex } from '@notify/privacy'

interface Of {
  id: Id<'notif'>
  tenantId: Id<'ten'>
}

const saltBytes = 8

/** Keyed, so that nobody who reads a mark can guess the address. */
function saltOf(blindIndex: BlindIndex, { id, tenantId }: Of): string {
  return Buffer.from(blindIndex(tenantId, id), 'base64url').toString('hex', 0, saltBytes)
}

/** The mark by which receipts name the recipient of a copy. */
export const copyMark = (blindIndex: BlindIndex, of: Of, to: string): string => markOf(saltOf(blindIndex, of), to)

/** What travels with a message that has copies. */
export const copiesTag = (blindIndex: BlindIndex, of: Of, to: string): string =>
  recipientTag(saltOf(blindIndex, of), to)
