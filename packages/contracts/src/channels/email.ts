import { z } from 'zod'
import { idSchema } from '../ids.ts'
import type { ChannelContract } from './channel-contract.ts'

/** A header value. */
const Line = z.string().regex(/^[^\r\n]*$/, 'must be one line')

export const email = {
  template: z.strictObject({
    subject: Line,
    body: z.string().optional().meta({ description: 'Made from `html_body` where it is absent' }),
    html_body: z.string().optional(),
    preheader: Line.optional().meta({
      description: 'What lists of messages show after the subject; requires `html_body`',
    }),
    layout_id: idSchema('lay').optional().meta({ description: 'The layout around its texts' }),
  }),
  recipientFields: ['email', 'name'],
  addressField: 'email',
  shownFields: [
    'subject',
    'html_body',
    'preheader',
    'layout_id',
    'from',
    'reply_to',
    'cc',
    'bcc',
    'headers',
    'attachments',
  ],
  showsData: false,
  sendsCodes: true,
  needsConsent: false,
  suppresses: true,
  example: {
    template: {
      subject: 'Your order {{order}} is on its way',
      body: 'Hi {{name}},\n\nyour order {{order}} has left our warehouse.\n\nDemo Shop',
      html_body:
        '<p>Hi {{name}},</p><p>your order <strong>{{order}}</strong> has left our warehouse.</p><p>Demo Shop</p>',
    },
  },
} as const satisfies ChannelContract
