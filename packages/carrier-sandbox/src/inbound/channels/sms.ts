import { z } from 'zod'
import { randomHex } from '../../random-hex.ts'
import { standIns } from '../../stand-ins/table.ts'
import { inboundMessage } from '../../twilio/inbound-message.ts'
import { type Answer, type InboundChannel, type InboundContext, phone } from '../inbound-channel.ts'

const Body = z.strictObject({
  from: phone,
  to: phone.optional(),
  body: z.string().max(1600),
  /** The carrier of the receiving number, whose newest account it belongs to. Default: Twilio. */
  carrier: z.string().optional(),
})

export const sms: InboundChannel<typeof Body> = {
  body: Body,
  receive(context, request) {
    if (request.carrier !== undefined) return receiveAtStandIn(context, request, request.carrier)
    const { sender, account, number, url } = context
    if (!account || !url) return { missing: 'TWILIO_INBOUND_URL says where inbound messages go; it is not set.' }
    const messageSid = `SM${randomHex()}`
    const { from, to = number, body } = request
    void sender.send(inboundMessage(account, url, { messageSid, from, to, body }))
    return { from, to, body, provider_message_id: messageSid }
  },
}

function receiveAtStandIn(
  { sender, accounts, number }: InboundContext,
  { from, to = number, body }: z.output<typeof Body>,
  carrier: string,
): Answer {
  const standIn = standIns.find(({ name }) => name === carrier)
  const account = standIn && accounts.newest(standIn)
  if (!standIn?.inbound || !account?.webhook_url) return { missing: 'This carrier has no account with a webhook.' }
  const id = standIn.newMessageId()
  void sender.send({ url: account.webhook_url, ...standIn.inbound(account, { id, from, to, body }) })
  return { from, to, body, provider_message_id: id }
}
