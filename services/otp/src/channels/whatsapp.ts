import type { CodeChannel } from './code-channel.ts'
import { readPhone } from './read-phone.ts'

export const whatsapp: CodeChannel = {
  byPhone: true,
  readRecipient: readPhone,
  // The reference names the request that asked for the code; the ledger decides about consent.
  recipientOf: ({ recipient, transactionId }) => ({ phone: recipient, opt_in_reference: transactionId }),
  // It has templates of its own: the code alone is sent, in the language asked for.
  defaultText: ({ sentence }, { code }) => ({ body: sentence, template_data: { code } }),
}
