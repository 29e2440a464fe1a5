import { type CarrierAnswer, later, permanent, refusal } from '@notify/carriers/sending'
import type { TemplateReference } from '../channels/channel.ts'
import type { Context } from '../context.ts'
import type { Claim } from '../sending/claim-store.ts'
import { consentFault } from './judge-consent.ts'

/** Nothing is sent without an answer: the message waits in the retry schedule. */
const unavailable = later('Nobody could say whether the recipient may be written to; nothing was sent')

/** Asks for the recipient's consent, the last thing before the carrier. @returns the answer in its place; undefined to go on */
export async function askBeforeSend(
  { directory, log }: Pick<Context, 'directory' | 'log'>,
  { id, tenant_id, mode, recipient_index }: Claim,
  template: TemplateReference | undefined,
): Promise<CarrierAnswer | undefined> {
  try {
    const answer = await directory.consents.ask({ tenant_id: tenant_id as `ten_${string}`, mode, recipient_index })
    const fault = consentFault(answer, template)
    return fault === undefined ? undefined : refusal('consent_revoked', permanent(fault), null)
  } catch (error) {
    log.warn({ notification_id: id, err: error }, 'the consent service does not answer; nothing is sent')
    return refusal('consent_unavailable', unavailable, null)
  }
}
