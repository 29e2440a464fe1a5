import type { SuppressionReason } from '@notify/contracts'
import { Problem } from '@notify/service-kit'

const lift = 'an operator lifts the suppression first (DELETE /api/v1/suppressions/{suppression_id})'

const explanations: Record<SuppressionReason, string> = {
  bounce: `Mail to this address bounced for good. Use another one; should it work again, ${lift}`,
  complaint: `The recipient reported an earlier message as spam. Should they ask to be written to again, ${lift}`,
  stop: 'The recipient answered STOP to an earlier message. They are written to again once they answer START',
  manual: `An operator has suppressed this recipient. Should they be written to again, ${lift}`,
}

/** The problem for a suppressed recipient. */
export function suppressedRecipient(reason: SuppressionReason): Problem {
  return new Problem('recipient_suppressed', explanations[reason], {
    errors: [{ path: 'recipient', message: `is suppressed: ${reason}` }],
  })
}
