import { EmailAddress, e164Fault, e164Pattern, type OtpRequest } from '@notify/contracts'
import { maskEmail, maskPhone } from '@notify/privacy'
import { Problem } from '@notify/service-kit'

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
    const { success, data, error } = EmailAddress.safeParse(recipient)
    if (!success) throw invalid(error.issues[0]?.message ?? 'must be an email address')
    return { text: data, masked: maskEmail(data), phone: undefined }
  }
  if (!e164Pattern.test(recipient)) {
    throw invalid(e164Fault)
  }
  return { text: recipient, masked: maskPhone(recipient), phone: recipient }
}

function invalid(message: string): Problem {
  return new Problem('invalid_recipient', `recipient ${message}`, { errors: [{ path: 'recipient', message }] })
}
