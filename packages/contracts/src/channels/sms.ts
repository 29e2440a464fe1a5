import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'

export const sms = {
  template: z.strictObject({ body: z.string().min(1) }),
  recipientFields: ['phone'],
  addressField: 'phone',
  shownFields: [],
  showsData: false,
  sendsCodes: true,
  needsConsent: false,
  suppresses: true,
  example: { template: { body: 'Hi {{name}}, your order {{order}} is on its way.' } },
} as const satisfies ChannelContract
