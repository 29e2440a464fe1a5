import { z } from 'zod'
import { headerOf, isSame, requireProof } from '../callback-proof.ts'
import { defineOwnReceiver, secretIn } from '../own-address.ts'
import { parseCallback } from '../parse-callback.ts'
import { receiptOf } from '../report-of.ts'

const Receipt = z.object({
  id: z.string(),
  status: z.enum(['delivered', 'undelivered']),
  travelled: z.record(z.string(), z.string()),
})

export const texterReceiver = defineOwnReceiver({
  channel: 'sms',
  keep: secretIn('callback_token'),
  read(account, { body, headers }) {
    const token = Buffer.from(headerOf(headers, 'x-texter-token'))
    requireProof(isSame(token, Buffer.from(account.secret)), 'X-Texter-Token')
    const { data } = Receipt.safeParse(parseCallback(body))
    return data ? [receiptOf(account, data)] : []
  },
})
