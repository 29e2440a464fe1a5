import type { CodeChannel } from './code-channel.ts'
import { readPhone } from './read-phone.ts'

export const sms: CodeChannel = {
  byPhone: true,
  readRecipient: readPhone,
  // The line must be the last one: WICG, origin-bound one-time codes.
  defaultText: ({ sentence, autofill, locale }) => ({
    written_locale: locale,
    body: autofill ? `${sentence}\n\n${autofill}` : sentence,
  }),
}
