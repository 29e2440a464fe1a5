import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'

/** Recipients are not suppressed: the consent ledger decides who may receive messages. */
export const whatsapp = {
  template: z.strictObject({
    template_name: z.string(),
    language: z.string(),
    category: z.enum(['marketing', 'utility', 'authentication']),
    parameters: z
      .union([z.array(z.string()), z.record(z.string(), z.string())])
      .meta({ description: 'Texts of the placeholders: an array in order, or an object by placeholder name' }),
  }),
  recipientFields: ['phone', 'opt_in_reference'],
  addressField: 'phone',
  shownFields: [],
  showsData: false,
  sendsCodes: true,
  needsConsent: true,
  suppresses: false,
  example: {
    template: {
      template_name: 'order_update',
      language: 'en_US',
      category: 'utility',
      parameters: ['{{name}}', '{{order}}'],
    },
  },
} as const satisfies ChannelContract
