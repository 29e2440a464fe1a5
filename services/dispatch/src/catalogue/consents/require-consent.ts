import type { ConsentSubject } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { TemplateReference } from '../../channels/channel-template.ts'
import type { WithConsents } from './consent-directory.ts'
import { consentFault } from './judge-consent.ts'

/** @throws Problem `whatsapp_opt_in_required`, or `service_unavailable` without an answer */
export async function requireConsent(
  { directory }: WithConsents,
  { tenant_id, mode }: Pick<ConsentSubject, 'tenant_id' | 'mode'>,
  recipientIndex: string,
  template: TemplateReference | undefined,
): Promise<void> {
  const answer = await directory.consents.ask({ tenant_id, mode, recipient_index: recipientIndex })
  const fault = consentFault(answer, template)
  if (fault !== undefined) throw new Problem('whatsapp_opt_in_required', fault)
}
