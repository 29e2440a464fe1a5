import type { SuppressionReason } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { SuppressionRules } from '../../channels/channel.ts'

const lift = 'an operator must lift the suppression (DELETE /api/v1/suppressions/{suppression_id})'

const explanations: Record<SuppressionReason, string> = {
  bounce: `Mail to this address bounced permanently. Use another address. If this one works again, ${lift}`,
  complaint: `The recipient reported an earlier message as spam. If they ask for messages again, ${lift}`,
  stop: `The recipient unsubscribed after an earlier message. If they ask for messages again, ${lift}`,
  manual: `An operator has suppressed this recipient. Before they can receive messages again, ${lift}`,
}
const answeredStop =
  'The recipient answered STOP to an earlier message. After they answer START, they can receive messages again'

/** The problem for a suppressed recipient of a channel, which says how they can receive messages again. */
export function suppressedRecipient(
  reason: SuppressionReason,
  { hasKeywords = false }: Partial<Pick<SuppressionRules, 'hasKeywords'>> = {},
): Problem {
  const detail = reason === 'stop' && hasKeywords ? answeredStop : explanations[reason]
  return new Problem('recipient_suppressed', detail, {
    errors: [{ path: 'recipient', message: `is suppressed: ${reason}` }],
  })
}
