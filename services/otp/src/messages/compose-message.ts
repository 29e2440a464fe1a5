import type { codeNames, OtpChannel } from '@notify/contracts'
import type { Content, WrittenRequest } from '../channels/code-channel.ts'
import { codeChannels } from '../channels/table.ts'
import { codeText } from './code-texts.ts'

/** Key of the event whose templates contain the code. */
const eventKey = 'otp'

/** A request of dispatch for a code. */
export type CodeRequest = WrittenRequest & { channel: OtpChannel }

/**
 * Requests that dispatch tries in order: the application's template for the language or its default one, its general template, the default text.
 * Only dispatch knows which templates exist.
 */
export function composeMessage(content: Content & { channel: OtpChannel }): CodeRequest[] {
  const { channel, code, ttlSeconds, language, settings } = content
  const { recipientOf, defaultText } = codeChannels[channel]
  const autofill = settings.autofill_host ? `@${settings.autofill_host} #${code}` : ''
  // Rounded down, so that the text never promises more time than is left; at least 1.
  const minutes = Math.max(1, Math.floor(ttlSeconds / 60))
  const recipient = recipientOf?.(content) ?? content.recipient
  const asked = language === null ? {} : { locale: language }
  const data: Record<(typeof codeNames)[number], unknown> = { code, minutes, autofill }
  const general = { channel, recipient, ...asked, event_key: eventKey, data }
  const own = language ?? settings.default_locale
  const ofLanguage = own ? [{ ...general, event_key: `${eventKey}.${own}`, written_locale: own }] : []
  // Our own text is in the first language of the recipient and the application that we have.
  const wanted = [language, settings.default_locale].filter((one) => one != null)
  const text = codeText(wanted, { code, minutes })
  return [...ofLanguage, general, { channel, recipient, ...asked, ...defaultText({ ...text, autofill }, content) }]
}
