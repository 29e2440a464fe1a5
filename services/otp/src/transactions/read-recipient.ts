import { EmailAddress, e164Fault, e164Pattern, type OtpRequest } from '@notify/contracts'
import { maskEmail, maskPhone } from '@notify/privacy'
import { Problem, requireShape } from '@notify/service-kit'

/** A validated recipient. */
export interface Recipient {
  text: string
  masked: string
  /** Undefined for email. */
  phone: string | undefined
}

/** @throws Problem `invalid_recipient` unless the channel can reach the recipient */
export function readRecipient({ channel, recipient }: Pick<OtpRequest, 'channel' | 'recipient'>): Recipient {
  if (channel === 'email') {
    const text = requireShape(EmailAddress, recipient, { at: 'recipient', code: 'invalid_recipient' })
    return { text, masked: maskEmail(text), phone: undefined }
  }
  if (!e164Pattern.test(recipient)) {
    throw new Problem('invalid_recipient', `recipient ${e164Fault}`, {
      errors: [{ path: 'recipient', message: e164Fault }],
    })
  }
  return { text: recipient, masked: maskPhone(recipient), phone: recipient }
}
