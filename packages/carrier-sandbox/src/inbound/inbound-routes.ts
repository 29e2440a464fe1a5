import { Router } from 'express'
import { z } from 'zod'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import { messageWebhook, preferenceWebhook } from '../meta/inbound-webhook.ts'
import { messageId } from '../meta/message-id.ts'
import type { MetaNumber } from '../meta/number.ts'
import { readBody, sendProblem } from '../problem.ts'
import { randomHex } from '../random-hex.ts'
import type { AccountBook } from '../stand-ins/account-book.ts'
import { standIns } from '../stand-ins/table.ts'
import type { TwilioAccount } from '../twilio/account.ts'
import { inboundMessage } from '../twilio/inbound-message.ts'

/** Where inbound messages are reported. */
interface InboundContext {
  sender: CallbackSender
  /** The account that owns the receiving numbers. */
  account: TwilioAccount | undefined
  /** The receiving number when the request names none. */
  number: string
  /** The webhook of that number; without one, inbound messages cannot be reported. */
  url: string | undefined
  /** The receiving WhatsApp numbers; the first is the default. */
  metaNumbers: readonly MetaNumber[]
  /** The accounts at other carriers. */
  accounts: AccountBook
}

const phone = z.string().regex(/^\+[1-9]\d{3,14}$/, 'must be an E.164 number')

const InboundRequest = z.discriminatedUnion('channel', [
  z.strictObject({
    channel: z.literal('sms'),
    from: phone,
    to: phone.optional(),
    body: z.string().max(1600),
    /** The carrier of the receiving number, whose newest account it belongs to. Default: Twilio. */
    carrier: z.string().optional(),
  }),
  z.strictObject({
    channel: z.literal('whatsapp'),
    from: phone,
    /** The phone number id of the receiving number. */
    to: z.string().optional(),
    body: z.string().max(4096).default(''),
    /** The payload of the button that was pressed. */
    button: z.string().max(256).optional(),
    /** A choice about marketing in the app's settings, in place of a message. */
    preference: z.enum(['stop', 'resume']).optional(),
  }),
])
type InboundRequest = z.output<typeof InboundRequest>

/** `POST /inbound`: simulates a message from a person, which the carrier reports to the service under test. */
export function inboundRoutes(context: InboundContext): Router {
  return Router().post('/inbound', (req, res) => {
    const body = readBody(req, res, InboundRequest)
    if (!body) return
    const answer = body.channel === 'sms' ? receiveSms(context, body) : receiveWhatsApp(context, body)
    if ('missing' in answer) return sendProblem(res, 409, 'inbound_not_configured', answer.missing)
    res.status(202).json(answer)
  })
}

type Answer = { missing: string } | Record<'channel' | 'from' | 'to' | 'body' | 'provider_message_id', string>

function receiveSms(context: InboundContext, body: Extract<InboundRequest, { channel: 'sms' }>): Answer {
  if (body.carrier !== undefined) return receiveAtStandIn(context, body, body.carrier)
  const { sender, account, number, url } = context
  if (!account || !url) return { missing: 'TWILIO_INBOUND_URL says where inbound messages go; it is not set.' }
  const messageSid = `SM${randomHex()}`
  const { from, to = number } = body
  void sender.send(inboundMessage(account, url, { messageSid, from, to, body: body.body }))
  return { channel: 'sms', from, to, body: body.body, provider_message_id: messageSid }
}

function receiveAtStandIn(
  { sender, accounts, number }: InboundContext,
  { from, to = number, body }: { from: string; to?: string | undefined; body: string },
  carrier: string,
): Answer {
  const standIn = standIns.find(({ name }) => name === carrier)
  const account = standIn && accounts.newest(standIn)
  if (!standIn?.inbound || !account?.webhook_url) return { missing: 'This carrier has no account with a webhook.' }
  const id = standIn.newMessageId()
  void sender.send({ url: account.webhook_url, ...standIn.inbound(account, { id, from, to, body }) })
  return { channel: 'sms', from, to, body, provider_message_id: id }
}

function receiveWhatsApp(
  { sender, metaNumbers }: InboundContext,
  body: Extract<InboundRequest, { channel: 'whatsapp' }>,
): Answer {
  const { from, to, body: text, button, preference } = body
  const number = metaNumbers.find(({ phone_number_id }) => to === undefined || phone_number_id === to)
  if (!number) return { missing: 'META_NUMBERS names the numbers that people write to; none is this one.' }
  const id = messageId(from)
  void sender.send(
    preference ? preferenceWebhook(number, { from, preference }) : messageWebhook(number, { id, from, text, button }),
  )
  return { channel: 'whatsapp', from, to: number.phone_number_id, body: text, provider_message_id: id }
}
