import type { SuppressionReason } from '@notify/contracts'
import { Problem } from '@notify/service-kit'

const lift = 'an operator must lift the suppression (DELETE /api/v1/suppressions/{suppression_id})'

const explanations: Record<SuppressionReason, string> = {
  bounce: `Mail to this address bounced permanently. Use another address. If this one works again, ${lift}`,
  complaint: `The recipient reported an earlier message as spam. If they ask for messages again, ${lift}`,
  stop: 'The recipient answered STOP to an earlier message. After they answer START, they can receive messages again',
  manual: `An operator has suppressed this recipient. Before they can receive messages again, ${lift}`,
}

/** The problem for a suppressed recipient. */
export function suppressedRecipient(reason: SuppressionReason): Problem {
  return new Problem('recipient_suppressed', explanations[reason], {
    errors: [{ path: 'recipient', message: `is suppressed: ${reason}` }],
  })
}
