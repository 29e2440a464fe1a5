import { smsInboundCallback, smsStatusCallback } from '@notify/contracts'
import { z } from 'zod'
import { defineReceiver } from '../receiver.ts'
import { openInbound } from './inbound.ts'
import { openStatus } from './status.ts'

/** Status callbacks and inbound messages: forms signed with a token of the account. */
export const twilioReceiver = defineReceiver({
  channel: 'sms',
  keep: z
    .object({
      account_sid: z.string(),
      auth_token: z.string(),
      previous_auth_token: z.string().optional(),
      from: z.string().optional(),
      messaging_service_sid: z.string().optional(),
    })
    .transform(({ account_sid, auth_token, previous_auth_token, from, messaging_service_sid }) => ({
      accountId: account_sid,
      secret: previous_auth_token === undefined ? auth_token : `${auth_token},${previous_auth_token}`,
      sender: from ?? messaging_service_sid,
    })),
  environment: {},
  start: ({ publicUrl }) => ({ publicUrl }),
  endpoints: [
    { contract: smsStatusCallback, open: openStatus },
    { contract: smsInboundCallback, open: openInbound },
  ],
})
