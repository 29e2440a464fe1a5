import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'

export const inApp = {
  template: z.strictObject({
    title: z.string(),
    body: z.string(),
    data: z.record(z.string(), z.json()).optional(),
  }),
  recipientFields: [],
  shownFields: ['subject', 'title'],
  showsData: true,
  sendsCodes: false,
  needsConsent: false,
  suppresses: false,
  example: {
    template: {
      title: 'Order {{order}} shipped',
      body: 'Hi {{name}}, your order is on its way.',
      data: { action_url: '/orders/{{order}}' },
    },
  },
} as const satisfies ChannelContract
