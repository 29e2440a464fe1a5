import type { OtpChannel } from '@notify/contracts'
import type { ApplicationSettings } from '../applications/settings-store.ts'
import { codeText } from './code-texts.ts'

/** Content of a message. */
export interface Content {
  transactionId: string
  channel: OtpChannel
  recipient: string
  code: string
  ttlSeconds: number
  /** The locale that the request asked for. */
  language: string | null
  settings: ApplicationSettings
}

/** A request of dispatch, and the language of its texts where they are ours. */
export interface WrittenRequest extends Record<string, unknown> {
  written_locale?: string
}

/** Key of the event whose templates contain the code. */
const eventKey = 'otp'

/**
 * Requests that dispatch tries in order: the application's template for the language, its general template, the default text.
 * Only dispatch knows which templates exist.
 */
export function composeMessage(content: Content): WrittenRequest[] {
  const { channel, code, ttlSeconds, language, settings } = content
  const autofill = settings.autofill_host ? `@${settings.autofill_host} #${code}` : ''
  // Rounded down, so that the text never promises more time than is left; at least 1.
  const minutes = Math.max(1, Math.floor(ttlSeconds / 60))
  const recipient = recipientOf(content)
  const keys = [...(language ? [`${eventKey}.${language}`] : []), eventKey]
  const asked = language === null ? {} : { locale: language }
  const data = { code, minutes, autofill }
  const byTemplate = keys.map((event_key) => ({ channel, recipient, ...asked, event_key, data }))
  return [...byTemplate, { channel, recipient, ...asked, ...defaultText(content, minutes, autofill) }]
}

function recipientOf({ channel, recipient, transactionId }: Content): string | object {
  // The reference names the request that asked for the code; the ledger decides about consent.
  return channel === 'whatsapp' ? { phone: recipient, opt_in_reference: transactionId } : recipient
}

/** Our own text, in the first language of the recipient and the application that we have. */
function defaultText(
  { channel, code, language, settings }: Content,
  minutes: number,
  autofill: string,
): WrittenRequest {
  const wanted = [language, settings.default_locale].filter((one) => one != null)
  const { locale, subject, sentence, ignore } = codeText(wanted, { code, minutes })
  // WhatsApp has templates of its own: the code alone is sent, in the language asked for.
  if (channel === 'whatsapp') return { body: sentence, template_data: { code } }
  const written = { written_locale: locale }
  if (channel === 'email') return { ...written, subject, body: `${sentence}\n\n${ignore}` }
  // The line must be the last one: WICG, origin-bound one-time codes.
  return { ...written, body: autofill ? `${sentence}\n\n${autofill}` : sentence }
}
