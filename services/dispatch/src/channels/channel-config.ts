import { duration } from '@notify/service-kit'
import { z } from 'zod'
import { emailVariables } from './email/config.ts'
import { smsVariables } from './sms/config.ts'
import { webhookVariables } from './webhook/config.ts'
import { whatsappVariables } from './whatsapp/config.ts'

/** The environment variables of the channels. */
export const channelVariables = {
  ...smsVariables,
  ...emailVariables,
  ...whatsappVariables,
  ...webhookVariables,
  SEND_RATE: z.coerce
    .number()
    .positive()
    .default(250)
    .describe('Sends per second that one process starts in each lane of a channel, of all tenants in turns'),
  RECEIPT_DEADLINE: duration('72h').describe('Age at which a sent message without a receipt counts as settled'),
}

/** What channels read of the configuration. */
export type ChannelConfig = z.output<z.ZodObject<typeof channelVariables>>
