import type { OtpChannel, OtpSettings } from '@notify/contracts'

/** Content of a message. */
export interface Content {
  transactionId: string
  channel: OtpChannel
  recipient: string
  code: string
  ttlSeconds: number
  language: string | null
  settings: OtpSettings
}

/** Key of the event whose templates contain the code. */
const eventKey = 'otp'

/**
 * Requests that dispatch tries in order: the application's template for the language, its general template, the default text.
 * Only dispatch knows which templates exist.
 */
export function composeMessage(content: Content): object[] {
  const { channel, code, ttlSeconds, language, settings } = content
  const autofill = settings.autofill_host ? `@${settings.autofill_host} #${code}` : ''
  // Rounded down, so that the text never promises more time than is left; at least 1.
  const minutes = Math.max(1, Math.floor(ttlSeconds / 60))
  const recipient = recipientOf(content)
  const keys = [...(language ? [`${eventKey}.${language}`] : []), eventKey]
  const byTemplate = keys.map((event_key) => ({ channel, recipient, event_key, data: { code, minutes, autofill } }))
  return [...byTemplate, { channel, recipient, ...defaultText(content, minutes, autofill) }]
}

function recipientOf({ channel, recipient, transactionId }: Content): string | object {
  // The reference names the request that asked for the code; the ledger decides about consent.
  return channel === 'whatsapp' ? { phone: recipient, opt_in_reference: transactionId } : recipient
}

function defaultText({ channel, code }: Content, minutes: number, autofill: string): object {
  const sentence = `${code} is your verification code. It expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  if (channel === 'email') {
    return { subject: 'Your verification code', body: `${sentence}\n\nIf you did not ask for it, ignore this message.` }
  }
  // The service's WhatsApp template takes the code alone.
  if (channel === 'whatsapp') return { body: sentence, template_data: { code } }
  // The line must be the last one: WICG, origin-bound one-time codes.
  return { body: autofill ? `${sentence}\n\n${autofill}` : sentence }
}
