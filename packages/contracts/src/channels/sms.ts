import { z } from 'zod'
import type { ChannelContract } from './channel-contract.ts'

export const sms = {
  template: z.strictObject({ body: z.string().min(1) }),
  recipientFields: ['phone'],
  shownFields: [],
  showsData: false,
  sendsCodes: true,
  suppresses: true,
} as const satisfies ChannelContract
