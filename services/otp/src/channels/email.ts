import { maskEmail } from '@notify/privacy'
import { fieldProblem, readEmailAddress } from '@notify/service-kit'
import type { CodeChannel } from './code-channel.ts'

export const email: CodeChannel = {
  byPhone: false,
  readRecipient(recipient) {
    const { address, fault } = readEmailAddress(recipient)
    if (fault !== undefined) throw fieldProblem('invalid_recipient', 'recipient', fault)
    return { text: address, masked: maskEmail(address) }
  },
  defaultText: ({ subject, sentence, ignore, locale }) => ({
    written_locale: locale,
    subject,
    body: `${sentence}\n\n${ignore}`,
  }),
}
