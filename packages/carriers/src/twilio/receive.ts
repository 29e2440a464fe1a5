import { smsInboundCallback, smsStatusCallback } from '@notify/contracts'
import { z } from 'zod'
import { defineReceiver } from '../receiver.ts'
import { openInbound } from './inbound.ts'
import { openStatus } from './status.ts'

/** Status callbacks and inbound messages: forms signed with the account's token. */
export const twilioReceiver = defineReceiver({
  channel: 'sms',
  keep: z
    .object({
      account_sid: z.string(),
      auth_token: z.string(),
      from: z.string().optional(),
      messaging_service_sid: z.string().optional(),
    })
    .transform(({ account_sid, auth_token, from, messaging_service_sid }) => ({
      accountId: account_sid,
      secret: auth_token,
      sender: from ?? messaging_service_sid,
    })),
  environment: {},
  start: ({ publicUrl }) => ({ publicUrl }),
  endpoints: [
    { contract: smsStatusCallback, open: openStatus },
    { contract: smsInboundCallback, open: openInbound },
  ],
})
