import type { OtpChannel, OtpSettings } from '@notify/contracts'

/** What a message says. */
export interface Content {
  transactionId: string
  channel: OtpChannel
  recipient: string
  code: string
  ttlSeconds: number
  language: string | null
  settings: OtpSettings
}

/** The event whose templates say a code. */
const eventKey = 'otp'

/**
 * The requests that a code may be sent by, the best first: the application's template for the language, its general one, the
 * text below. Dispatch knows which templates there are.
 */
export function composeMessage(content: Content): object[] {
  const { channel, code, ttlSeconds, language, settings } = content
  const autofill = settings.autofill_host ? `@${settings.autofill_host} #${code}` : ''
  const minutes = Math.ceil(ttlSeconds / 60)
  const recipient = recipientOf(content)
  const keys = [...(language ? [`${eventKey}.${language}`] : []), eventKey]
  const byTemplate = keys.map((event_key) => ({ channel, recipient, event_key, data: { code, minutes, autofill } }))
  return [...byTemplate, { channel, recipient, ...defaultText(content, minutes, autofill) }]
}

function recipientOf({ channel, recipient, transactionId }: Content): string | object {
  // The consent of the ledger is what counts; the reference says which request asked for the code.
  return channel === 'whatsapp' ? { phone: recipient, opt_in_reference: transactionId } : recipient
}

function defaultText({ channel, code }: Content, minutes: number, autofill: string): object {
  const sentence = `${code} is your verification code. It expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  if (channel === 'email') {
    return { subject: 'Your verification code', body: `${sentence}\n\nIf you did not ask for it, ignore this message.` }
  }
  // The line must be the last one: WICG, origin-bound one-time codes.
  return { body: autofill ? `${sentence}\n\n${autofill}` : sentence }
}
