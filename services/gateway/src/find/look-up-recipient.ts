import { type lookUpRecipient as contract, tokenOfIndex } from '@notify/contracts'
import { recipientTag } from '@notify/privacy'
import type { Handler } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'

/** Whether the recipient is known is not asked. */
export const lookUpRecipient: Handler<RouteContext, typeof contract> = ({ blindIndex }, { body, principal }) => {
  const index = blindIndex(principal.tenant_id, body.recipient.trim())
  return { recipient_token: tokenOfIndex(index), recipient_tag: recipientTag(index) }
}
