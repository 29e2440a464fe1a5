import { z } from 'zod'
import { messageWebhook, preferenceWebhook } from '../../meta/inbound-webhook.ts'
import { messageId } from '../../meta/message-id.ts'
import { type InboundChannel, phone } from '../inbound-channel.ts'

const Body = z.strictObject({
  from: phone,
  /** The phone number id of the receiving number. */
  to: z.string().optional(),
  body: z.string().max(4096).default(''),
  /** The payload of the button that was pressed. */
  button: z.string().max(256).optional(),
  /** A choice about marketing in the app's settings, in place of a message. */
  preference: z.enum(['stop', 'resume']).optional(),
})

export const whatsapp: InboundChannel<typeof Body> = {
  body: Body,
  receive({ sender, metaNumbers }, { from, to, body: text, button, preference }) {
    const number = metaNumbers.find(({ phone_number_id }) => to === undefined || phone_number_id === to)
    if (!number) return { missing: 'META_NUMBERS names the numbers that people write to; none is this one.' }
    const id = messageId(from)
    void sender.send(
      preference ? preferenceWebhook(number, { from, preference }) : messageWebhook(number, { id, from, text, button }),
    )
    return { from, to: number.phone_number_id, body: text, provider_message_id: id }
  },
}
