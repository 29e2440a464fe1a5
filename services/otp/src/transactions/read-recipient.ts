import { EmailAddress, e164Pattern, type OtpRequest } from '@notify/contracts'
import { maskEmail, maskPhone } from '@notify/privacy'
import { Problem } from '@notify/service-kit'

/** Whom a code is for. */
export interface Recipient {
  text: string
  masked: string
  /** The number, when it is one. */
  phone: string | undefined
}

/** @throws Problem `invalid_recipient` for what the channel cannot reach */
export function readRecipient({ channel, recipient }: Pick<OtpRequest, 'channel' | 'recipient'>): Recipient {
  if (channel === 'email') {
    const { success, data, error } = EmailAddress.safeParse(recipient)
    if (!success) throw invalid(error.issues[0]?.message ?? 'must be an email address')
    return { text: data, masked: maskEmail(data), phone: undefined }
  }
  if (!e164Pattern.test(recipient)) {
    throw invalid('must be E.164: a plus sign, country code, 7 to 15 digits, no spaces or dashes')
  }
  return { text: recipient, masked: maskPhone(recipient), phone: recipient }
}

function invalid(message: string): Problem {
  return new Problem('invalid_recipient', `recipient ${message}`, { errors: [{ path: 'recipient', message }] })
}
