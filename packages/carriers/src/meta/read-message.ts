import { occurred } from '../carrier-time.ts'
import type { MessageReport, ReceivingAccount } from '../receiver.ts'
import type { Message } from './update.ts'

/** The text that a recipient wrote, or the text of the button that was pressed. */
export function readMessage(
  account: ReceivingAccount,
  { to, userId }: { to: string; userId: string | undefined },
  message: Message,
): MessageReport {
  const { id, timestamp, text, button, interactive } = message
  const reply = interactive?.button_reply ?? interactive?.list_reply
  const payload = button ? (button.payload ?? '') : reply?.id
  return {
    type: 'message',
    account,
    provider_message_id: id,
    ...occurred(timestamp),
    content: {
      from: phoneOf(message.from),
      to,
      body: text?.body ?? button?.text ?? reply?.title ?? '',
      ...(payload === undefined ? {} : { payload }),
      ...(userId ? { user_id: userId } : {}),
    },
  }
}

/** A number in E.164 from its form without plus sign. Empty for a user without a number. */
export function phoneOf(waId: string | undefined): string {
  return waId !== undefined && /^\d{7,15}$/.test(waId) ? `+${waId}` : ''
}
