import { maskEmail } from '@notify/privacy'
import type { ChannelDefinition, Copy } from '../channel.ts'
import { composeEmail } from './compose.ts'
import { markLanguage } from './mark-language.ts'
import { EmailPayload, type Mailbox } from './payload.ts'
import { readAttachments } from './read-attachments.ts'
import { readEnvelope } from './recipient.ts'
import { emailTemplate } from './template.ts'
import { withUnsubscribe } from './unsubscribe-headers.ts'

/** Whom an email is copied to. */
function copiesOf({ cc = [], bcc = [] }: Pick<EmailPayload, 'cc' | 'bcc'>): Copy[] {
  const copyOf = (field: Copy['field']) => (mailbox: Mailbox) => ({
    field,
    to: mailbox.address,
    masked: maskEmail(mailbox.address),
  })
  return [...cc.map(copyOf('cc')), ...bcc.map(copyOf('bcc'))]
}

const filled = <T extends Record<string, Mailbox[]>>(lists: T): Partial<T> =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<T>

/** What has never received mail may be suppressed too, so this is wider than what can be sent to. */
const address = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u

export const email: ChannelDefinition<EmailPayload> = {
  name: 'email',
  payload: EmailPayload,
  template: emailTemplate,
  draft(request, { locale }) {
    const envelope = readEnvelope(request)
    const { to, from, cc, bcc } = envelope
    const { attachments = [] } = request
    return {
      to,
      masked: maskEmail(to),
      from,
      ...((cc || bcc) && { copies: copiesOf(envelope) }),
      ...(attachments.length > 0 && { files: (fetch) => readAttachments(attachments, fetch) }),
      credits: 0,
      compose: async (templates, fill, tools) => ({
        channel: 'email',
        ...inLanguage(await composeEmail(request, templates?.email, fill, { envelope, ...tools }), locale),
      }),
    }
  },
  senderOf: ({ from }) => from,
  copies: {
    of: copiesOf,
    ownOf: ({ to }) => to,
    without: ({ cc = [], bcc = [], ...payload }, isLeftOut) => {
      const kept = (copies: Mailbox[]) => copies.filter(({ address }) => !isLeftOut(address))
      return { ...payload, ...filled({ cc: kept(cc), bcc: kept(bcc) }) }
    },
  },
  files: {
    has: ({ attachments = [] }) => attachments.length > 0,
    attach: ({ attachments = [], ...payload }, files) => ({
      ...payload,
      attachments: attachments.map((one, at) => ({ ...one, content: files[at] ?? Buffer.alloc(0) })),
    }),
  },
  withLink: withUnsubscribe,
  receiptDeadlineMs: ({ RECEIPT_DEADLINE }) => RECEIPT_DEADLINE,
  suppression: {
    faultOf: (recipient) => (address.test(recipient) ? undefined : 'must be an email address'),
    mask: maskEmail,
    hasKeywords: false,
  },
  contentOf: ({ subject, text, html, attachments }) => ({
    subject,
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    ...(attachments && { attachments }),
  }),
  test: {
    recipientOf: (address) => address,
    templatesFor: (provider) => ({
      email: { subject: 'Test message', body: `This is a test message of the provider ${provider}.` },
    }),
    marked: ({ headers, ...payload }) => ({ ...payload, headers: { ...headers, 'X-Test-Message': 'true' } }),
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

/** The content with its language, where it is known: in a header (RFC 3282), and in the HTML. */
function inLanguage<C extends Pick<EmailPayload, 'html' | 'headers'>>(content: C, locale: string | undefined): C {
  if (locale === undefined) return content
  const { html, headers } = content
  return {
    ...content,
    headers: { ...headers, 'Content-Language': locale },
    ...(html !== undefined && { html: markLanguage(html, locale) }),
  }
}
