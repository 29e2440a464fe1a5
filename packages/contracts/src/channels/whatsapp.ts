import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'

/** Most buttons of a template. */
const mostButtons = 10

const categories = ['marketing', 'utility', 'authentication'] as const

/** Recipients are not suppressed: the consent ledger decides who may receive messages. */
export const whatsapp = {
  template: z.strictObject({
    template_name: z.string(),
    language: z.string(),
    category: z.enum(categories),
    parameters: z
      .union([z.array(z.string()), z.record(z.string(), z.string())])
      .meta({ description: 'Texts of the placeholders of the body: an array in order, or an object by name' }),
    header: z
      .strictObject({
        type: z.enum(['text', 'image', 'video', 'document']),
        value: z.string().meta({ description: 'Text of the placeholder; of a file its https address' }),
        name: z.string().optional().meta({ description: 'Of a named placeholder' }),
      })
      .optional()
      .meta({ description: 'Required if the header of the template has a placeholder or is a file' }),
    buttons: z
      .array(
        z.strictObject({
          index: z
            .int()
            .min(0)
            .max(mostButtons - 1)
            .meta({ description: 'Position among the buttons of the template' }),
          type: z.enum(['url', 'copy_code']),
          value: z.string().meta({ description: 'End of the address, or the code to copy' }),
        }),
      )
      .max(mostButtons)
      .optional()
      .meta({ description: 'Buttons of the template that have a placeholder' }),
  }),
  recipientFields: ['phone', 'opt_in_reference'],
  addressField: 'phone',
  shownFields: [],
  showsData: false,
  sendsCodes: true,
  needsConsent: true,
  suppresses: false,
  categories,
  example: {
    template: {
      template_name: 'order_update',
      language: 'en_US',
      category: 'utility',
      parameters: ['{{name}}', '{{order}}'],
    },
  },
} as const satisfies ChannelContract
