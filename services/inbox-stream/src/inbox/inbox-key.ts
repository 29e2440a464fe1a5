import type { KeyMode } from '@notify/contracts'
import type { BlindIndex } from '@notify/privacy'

/** Whose inbox it is; what a test key sends goes to an inbox of its own. */
export interface InboxOwner {
  tenant_id: string
  application_id: string
  mode: KeyMode
  user_id: string
}

/** The key of a user's inbox: base64url, so that it fits into a subject whatever the user is called. */
export function inboxKeyOf(blindIndex: BlindIndex, { tenant_id, application_id, mode, user_id }: InboxOwner): string {
  return blindIndex(tenant_id, `${application_id} ${mode} ${user_id}`)
}

/** What a category is looked up by. */
export function categoryIndexOf(blindIndex: BlindIndex, tenantId: string, category: string): string {
  return blindIndex(tenantId, `category ${category}`)
}
