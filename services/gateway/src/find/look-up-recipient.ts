import { type lookUpRecipient as contract, tokenOfIndex } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { recipientTag } from '@notify/privacy'
import { Reply } from '@notify/service-kit'
import type { RouteContext } from '../context.ts'

/** Whether the recipient is known is not asked. */
export const lookUpRecipient = idempotentAnswer<RouteContext, typeof contract>(
  async ({ blindIndex }, { body, principal }) => {
    const index = blindIndex(principal.tenant_id, body.recipient.trim())
    return new Reply(200, JSON.stringify({ recipient_token: tokenOfIndex(index), recipient_tag: recipientTag(index) }))
  },
)
