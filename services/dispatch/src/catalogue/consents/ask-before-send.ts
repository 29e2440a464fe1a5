import { type CarrierAnswer, later, permanent, refusal } from '@notify/carriers/sending'
import type { TemplateReference } from '../../channels/channel-template.ts'
import type { Context } from '../../context.ts'
import type { Claim } from '../../deliver/claim/claim-store.ts'
import { consentFault } from './judge-consent.ts'

/** Without an answer the message waits in the retry schedule. */
const unavailable = later('The consent service did not answer; nothing was sent')

/** Checks consent immediately before the carrier is called. @returns a refusal; undefined when the message may be sent */
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
