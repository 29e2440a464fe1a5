import type { Callback } from '../callbacks/callback-sender.ts'
import type { LoggedMessage } from '../messages/message-log.ts'
import type { Step } from './deviations.ts'
import type { MetaNumber } from './number.ts'
import { ofNumber, waId, webhook } from './webhook.ts'

/** The webhook that reports a message's new state. */
export function statusWebhook(
  number: MetaNumber,
  { message, opaque }: { message: LoggedMessage; opaque: string | undefined },
  { status, errorCode }: Step,
): Callback {
  const title = 'Message undeliverable'
  const errors = [{ code: errorCode, title, message: title, error_data: { details: 'Message Undeliverable.' } }]
  return webhook(number, 'messages', {
    ...ofNumber(number),
    contacts: [{ profile: { name: 'Sandbox' }, wa_id: waId(message.to) }],
    statuses: [
      {
        id: message.provider_message_id,
        status,
        timestamp: String(Math.floor(Date.now() / 1000)),
        recipient_id: waId(message.to),
        ...(opaque === undefined ? {} : { biz_opaque_callback_data: opaque }),
        ...(errorCode === undefined ? {} : { errors }),
      },
    ],
  })
}
