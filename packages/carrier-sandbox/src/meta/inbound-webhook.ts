import type { Callback } from '../callbacks/callback-sender.ts'
import type { MetaNumber } from './number.ts'
import { ofNumber, waId, webhook } from './webhook.ts'

interface Inbound {
  id: string
  from: string
  text: string
  button: string | undefined
}

const seconds = () => String(Math.floor(Date.now() / 1000))

/** The webhook that reports an inbound message or a pressed button. */
export function messageWebhook(number: MetaNumber, { id, from, text, button }: Inbound): Callback {
  const content =
    button === undefined
      ? { type: 'text', text: { body: text } }
      : { type: 'button', button: { payload: button, text: text || button } }
  return webhook(number, 'messages', {
    ...ofNumber(number),
    contacts: [{ profile: { name: 'Sandbox' }, wa_id: waId(from) }],
    messages: [{ from: waId(from), id, timestamp: seconds(), ...content }],
  })
}

/** The webhook that reports a marketing preference. */
export function preferenceWebhook(
  number: MetaNumber,
  { from, preference }: { from: string; preference: 'stop' | 'resume' },
): Callback {
  const wa_id = waId(from)
  const detail = `User requested to ${preference} marketing messages`
  return webhook(number, 'user_preferences', {
    ...ofNumber(number),
    contacts: [{ wa_id }],
    user_preferences: [
      { wa_id, detail, category: 'marketing_messages', value: preference, timestamp: Math.floor(Date.now() / 1000) },
    ],
  })
}
