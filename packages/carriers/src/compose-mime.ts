import type { Correlation, EmailMessage, Mailbox } from './messages.ts'
import { addressesOf } from './recipients-of.ts'

/** The sender of an account. */
interface Sender {
  from: string
  from_name?: string | undefined
}

/** A message as nodemailer takes it; who gets a hidden copy stands in the envelope alone. */
export function mailOf(account: Sender, message: EmailMessage & Pick<Correlation, 'notificationId' | 'attemptId'>) {
  const { to, to_name, cc, reply_to, subject, text, html, headers, attachments, notificationId, attemptId } = message
  const from = message.from ?? account.from
  return {
    from: { address: from, name: message.from_name ?? account.from_name ?? '' },
    to: { address: to, name: to_name ?? '' },
    ...(cc && { cc: cc.map(named) }),
    ...(reply_to && { replyTo: reply_to.map(named) }),
    envelope: { from, to: addressesOf(message) },
    subject,
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    ...(attachments && {
      attachments: attachments.map(({ filename, content, content_type: contentType, content_id: cid }) => ({
        filename,
        content,
        contentType,
        ...(cid === undefined ? { contentDisposition: 'attachment' } : { cid, contentDisposition: 'inline' }),
      })),
    }),
    messageId: `<${attemptId}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: { ...preparedHeaders(headers), 'X-Notification-Id': notificationId },
    // Content is untrusted: it must not reference files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/**
 * Values are one line of ASCII already; encoded as words they would lose their quotes, and lists their addresses. Lists of message
 * ids stay as they are: the composer writes these itself.
 */
const preparedHeaders = (headers: EmailMessage['headers'] = {}) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      /^(?:in-reply-to|references)$/i.test(name) ? [name, value] : [name, { prepared: true, foldLines: true, value }],
    ),
  )

const named = ({ address, name = '' }: Mailbox) => ({ address, name })

/** The whole message in MIME. Attempts differ in Date and Message-ID alone. */
export async function composeMime(account: Sender, message: EmailMessage & Correlation): Promise<Buffer> {
  // Loaded with the first message that needs it.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const node = new MailComposer(mailOf(account, message)).compile()
  node.baseBoundary = message.notificationId
  return node.build()
}
