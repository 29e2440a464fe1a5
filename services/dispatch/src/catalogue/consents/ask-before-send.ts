import { type CarrierAnswer, permanent, refusal } from '@notify/carriers/sending'
import type { ConsentSubject } from '@notify/contracts'
import type { TemplateReference } from '../../channels/channel-template.ts'
import type { WithConsents } from './consent-directory.ts'
import { consentFault } from './judge-consent.ts'

/** Why a message must not be sent now. */
export type Withheld =
  | { reason: 'refused'; answer: CarrierAnswer }
  /** The consent service did not answer. */
  | { reason: 'no_consent_answer'; fault: unknown }

/** Checks consent immediately before the carrier is called. @returns undefined when the message may be sent */
export async function askBeforeSend(
  { directory }: WithConsents,
  { tenant_id, mode, recipient_index }: ConsentSubject,
  template: TemplateReference | undefined,
): Promise<Withheld | undefined> {
  try {
    const answer = await directory.consents.ask({ tenant_id, mode, recipient_index })
    const reason = consentFault(answer, template)
    if (reason === undefined) return undefined
    return { reason: 'refused', answer: refusal('consent_revoked', permanent(reason), null) }
  } catch (fault) {
    return { reason: 'no_consent_answer', fault }
  }
}
