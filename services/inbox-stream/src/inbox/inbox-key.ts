import type { KeyMode } from '@notify/contracts'
import { type BlindIndex, canonical } from '@notify/privacy'

/** The owner of an inbox; notifications of test keys have their own inbox. */
export interface InboxOwner {
  tenant_id: string
  application_id: string
  mode: KeyMode
  user_id: string
}

/**
 * The key of a user's inbox: base64url, so that it fits into a subject for any user id. Spellings of a user id that is an email
 * address have one inbox, as they are one user elsewhere.
 */
export function inboxKeyOf(blindIndex: BlindIndex, { tenant_id, application_id, mode, user_id }: InboxOwner): string {
  return blindIndex(tenant_id, `${application_id} ${mode} ${canonical(user_id)}`)
}

/** The lookup key of a category. */
export function categoryIndexOf(blindIndex: BlindIndex, tenantId: string, category: string): string {
  return blindIndex(tenantId, `category ${category}`)
}
