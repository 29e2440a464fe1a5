import type { ConsentAnswer } from '@notify/contracts'
import type { TemplateReference } from '../../channels/channel-template.ts'

/** The reason, for people, why the consent does not permit a message; undefined when it does. */
export function consentFault(
  { status, marketing_stopped, entry_id }: ConsentAnswer,
  template: Pick<TemplateReference, 'category'> | undefined,
): string | undefined {
  const entry = entry_id ? ` (entry ${entry_id} of the consent ledger)` : ''
  switch (status) {
    case 'none':
      return 'The recipient has no recorded opt-in: record one with POST /api/v1/whatsapp/opt-ins'
    case 'revoked':
      return `The recipient has revoked the opt-in${entry}`
    case 'active':
      return marketing_stopped && template?.category === 'marketing'
        ? 'The recipient has stopped marketing messages until they are resumed'
        : undefined
  }
}
