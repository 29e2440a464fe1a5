import { type CarrierAnswer, later, permanent, refusal } from '@notify/carriers/sending'
import type { Id, KeyMode } from '@notify/contracts'
import type { TemplateReference } from '../../channels/channel-template.ts'
import type { Context } from '../../context.ts'
import type { WithConsents } from './consent-directory.ts'
import { consentFault } from './judge-consent.ts'

/** A message that is about to be sent. */
interface Message {
  id: string
  tenant_id: Id<'ten'>
  mode: KeyMode
  recipient_index: string
}

/** The message waits for its next delay. */
const unavailable = later('The consent service did not answer; nothing was sent')

/** Checks consent immediately before the carrier is called. @returns a refusal; undefined when the message may be sent */
export async function askBeforeSend(
  { directory, log }: Pick<Context, 'log'> & WithConsents,
  { id, tenant_id, mode, recipient_index }: Message,
  template: TemplateReference | undefined,
): Promise<CarrierAnswer | undefined> {
  try {
    const answer = await directory.consents.ask({ tenant_id, mode, recipient_index })
    const fault = consentFault(answer, template)
    return fault === undefined ? undefined : refusal('consent_revoked', permanent(fault), null)
  } catch (error) {
    log.warn({ notification_id: id, err: error }, 'the consent service does not answer; nothing is sent')
    return refusal('consent_unavailable', unavailable, null)
  }
}
