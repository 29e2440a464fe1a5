import { maskEmail } from '@notify/privacy'
import type { ChannelDefinition } from '../channel.ts'
import { composeEmail } from './compose.ts'
import { markLanguage } from './mark-language.ts'
import { EmailPayload } from './payload.ts'
import { readEnvelope } from './recipient.ts'
import { emailTemplate } from './template.ts'

/** What has never received mail may be suppressed too, so this is wider than what can be sent to. */
const address = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u

export const email: ChannelDefinition<EmailPayload> = {
  name: 'email',
  payload: EmailPayload,
  template: emailTemplate,
  draft(request, { locale }) {
    const envelope = readEnvelope(request)
    const { to, from } = envelope
    return {
      to,
      masked: maskEmail(to),
      from,
      credits: 0,
      compose: async (templates, fill) => ({
        channel: 'email',
        ...inLanguage(await composeEmail(request, templates?.email, fill, envelope), locale),
      }),
    }
  },
  senderOf: ({ from }) => from,
  receiptDeadlineMs: ({ RECEIPT_DEADLINE }) => RECEIPT_DEADLINE,
  suppression: {
    faultOf: (recipient) => (address.test(recipient) ? undefined : 'must be an email address'),
    mask: maskEmail,
    hasKeywords: false,
  },
  delivery: {
    by: 'carrier',
    lanes: ({ EMAIL_CONCURRENCY, EMAIL_BULK_CONCURRENCY, SEND_RATE: ratePerSecond }) => [
      { lane: 'otp', concurrency: EMAIL_CONCURRENCY, ratePerSecond },
      { lane: 'transactional', concurrency: EMAIL_CONCURRENCY, ratePerSecond },
      { lane: 'bulk', concurrency: EMAIL_BULK_CONCURRENCY, ratePerSecond },
    ],
    suppressionConcurrency: 16,
  },
}

/** The content with its language, where it is known. */
function inLanguage<C extends Pick<EmailPayload, 'html'>>(content: C, locale: string | undefined): C {
  if (locale === undefined || content.html === undefined) return content
  return { ...content, html: markLanguage(content.html, locale) }
}
