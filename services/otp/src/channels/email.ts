import { EmailAddress } from '@notify/contracts'
import { maskEmail } from '@notify/privacy'
import { requireShape } from '@notify/service-kit'
import type { CodeChannel } from './code-channel.ts'

export const email: CodeChannel = {
  byPhone: false,
  readRecipient(recipient) {
    const text = requireShape(EmailAddress, recipient, { at: 'recipient', code: 'invalid_recipient' })
    return { text, masked: maskEmail(text) }
  },
  defaultText: ({ subject, sentence, ignore, locale }) => ({
    written_locale: locale,
    subject,
    body: `${sentence}\n\n${ignore}`,
  }),
}
