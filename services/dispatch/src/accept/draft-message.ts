import type { DispatchRequest, EventTemplates } from '@notify/contracts'
import { maskEmail, maskPhone } from '@notify/privacy'
import type { Payload } from '../carriers/carrier.ts'
import type { Fill } from '../rendering/create-renderer.ts'
import { composeEmail, readEnvelope } from './compose-email.ts'
import { composeSms, readPhone } from './compose-sms.ts'

/** A message whose recipient is known to be good; its content is made when nothing else stands in its way. */
export interface Draft {
  /** Phone number or address. */
  to: string
  masked: string
  /** A sender of its own, in place of the provider's. */
  from: string | undefined
  credits: number
  /** @throws Problem naming the field at fault */
  compose(templates: EventTemplates | undefined, fill: Fill): Promise<Payload>
}

const smsCredits = 1
const emailCredits = 0

/**
 * Reads whom a request is for.
 * @returns undefined for a channel that no provider sends
 * @throws Problem `invalid_recipient`, or `validation_failed` of a sender that is no address
 */
export function draftMessage(request: DispatchRequest): Draft | undefined {
  switch (request.channel) {
    case 'sms':
      return draftSms(request)
    case 'email':
      return draftEmail(request)
    default:
      return undefined
  }
}

function draftSms(request: DispatchRequest): Draft {
  const to = readPhone(request)
  const compose: Draft['compose'] = async (templates, fill) => ({
    to,
    text: await composeSms(request, templates?.sms, fill),
  })
  return { to, masked: maskPhone(to), from: undefined, credits: smsCredits, compose }
}

function draftEmail(request: DispatchRequest): Draft {
  const envelope = readEnvelope(request)
  const { to, from } = envelope
  const compose: Draft['compose'] = (templates, fill) => composeEmail(request, templates?.email, fill, envelope)
  return { to, masked: maskEmail(to), from, credits: emailCredits, compose }
}
