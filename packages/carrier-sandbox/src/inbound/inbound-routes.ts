import { Router } from 'express'
import { z } from 'zod'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import { readBody, sendProblem } from '../problem.ts'
import { randomHex } from '../random-hex.ts'
import type { TwilioAccount } from '../twilio/account.ts'
import { inboundMessage } from '../twilio/inbound-message.ts'

/** Where messages of people go. */
interface InboundContext {
  sender: CallbackSender
  /** The account whose numbers people write to. */
  account: TwilioAccount | undefined
  /** The number that they write to unless they say so. */
  number: string
  /** The webhook of that number; without one, nobody can be told. */
  url: string | undefined
}

const phone = z.string().regex(/^\+[1-9]\d{3,14}$/, 'must be an E.164 number')

const InboundRequest = z.strictObject({
  channel: z.enum(['sms'], 'must be sms; no other channel has a stand-in for what people write'),
  from: phone,
  to: phone.optional(),
  body: z.string().max(1600),
})

/** `POST /inbound`: a person writes to us, and the carrier tells the service under test. */
export function inboundRoutes({ sender, account, number, url }: InboundContext): Router {
  return Router().post('/inbound', (req, res) => {
    const body = readBody(req, res, InboundRequest)
    if (!body) return
    if (!account || !url) {
      return sendProblem(
        res,
        409,
        'inbound_not_configured',
        'TWILIO_INBOUND_URL says where inbound messages go; it is not set.',
      )
    }
    const messageSid = `SM${randomHex()}`
    const { from, to = number } = body
    void sender.send(inboundMessage(account, url, { messageSid, from, to, body: body.body }))
    res.status(202).json({ channel: 'sms', from, to, body: body.body, provider_message_id: messageSid })
  })
}
