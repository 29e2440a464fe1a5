import { z } from 'zod'
import { checkFailed, checkPassed } from '../account-check.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { Attachment, Correlation, EmailMessage } from '../messages.ts'
import { mailboxTexts } from '../recipients-of.ts'
import { travellingWith } from '../travelling-with.ts'
import { accountDown, verdictOfStatus } from '../verdict.ts'
import { resendCodes } from './codes.ts'
import type { ResendCredentials } from './credentials.ts'
import { resendDomains } from './domains.ts'
import { apiOf } from './hosts.ts'
import { recipientText, senderText } from './mailbox-text.ts'

/**
 * Sends email through the API of Resend.
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
export const resendSender = defineHttpSender<ResendCredentials, EmailMessage>(
  {
    ...apiOf,
    requestOf: ({ credentials }, message) => requestOf(credentials, message),
    idOf: ({ status, body }) => (status < 300 ? Sent.safeParse(body).data?.id : undefined),
    refusalOf,
    isOfSender: ({ sentence = '' }) => /domain is not verified|not authorized to send emails from/i.test(sentence),
    check: { pathOf: () => '/domains', read: readDomains },
  },
  resendDomains,
)

/**
 * A repetition under one key sends nothing twice, if it is the same to the byte: so it names the attempt that it repeats, and
 * carries no trace.
 * @see https://resend.com/docs/dashboard/emails/idempotency-keys
 */
function requestOf(credentials: ResendCredentials, message: EmailMessage & Correlation) {
  const attemptId = message.repeatOf ?? message.attemptId
  const body = bodyOf(credentials, { ...message, attemptId, traceparent: undefined })
  return { path: '/emails', body, headers: { 'idempotency-key': attemptId } }
}

function bodyOf(credentials: ResendCredentials, message: EmailMessage & Correlation) {
  const { to, to_name, subject, text, html, headers, attachments } = message
  return {
    from: senderText(message.from ?? credentials.from, message.from_name ?? credentials.from_name),
    to: [recipientText(to, to_name)],
    cc: mailboxTexts(message.cc, recipientText),
    bcc: mailboxTexts(message.bcc, recipientText),
    reply_to: mailboxTexts(message.reply_to, recipientText),
    subject,
    text,
    html,
    headers,
    attachments: attachments?.map(attachmentOf),
    // They return in every event: letters, digits, underscores and dashes.
    tags: Object.entries(travellingWith(message)).map(([name, value]) => ({ name, value })),
  }
}

const attachmentOf = ({ filename, content_type, content, content_id }: Attachment) => ({
  filename,
  content: content.toString('base64'),
  content_type,
  ...(content_id !== undefined && { content_id }),
})

const Sent = z.object({ id: z.string().min(1) })
const Refused = z.object({ name: z.string(), message: z.string().optional() })

function refusalOf({ status, body }: HttpAnswer) {
  const refused = Refused.safeParse(body).data
  if (!refused) return { code: `http_${status}`, verdict: verdictOfStatus(status), sentence: undefined }
  const { name: code, message: sentence } = refused
  const judged = resendCodes.judge(status, code)
  // The code of a refused key, and of a sending domain that is not verified, is that of an invalid field.
  const isOfAccount = status === 401 || status === 403 || (status === 400 && /api key/i.test(sentence ?? ''))
  return { code, verdict: isOfAccount ? accountDown(judged.text) : judged, sentence }
}

const Domains = z.object({ data: z.array(z.object({ name: z.string(), status: z.string() })) })

/** A key that may only send is refused by name, which proves it too. */
function readDomains({ status, body }: HttpAnswer) {
  if (Refused.safeParse(body).data?.name === 'restricted_api_key')
    return checkPassed('The API key of the account may send', { access: 'sending' })
  const domains = Domains.safeParse(body)
  if (status !== 200 || !domains.success) return undefined
  const verified = domains.data.data.filter((domain) => domain.status === 'verified').map(({ name }) => name)
  return verified.length > 0
    ? checkPassed('The account has verified domains', { domains: verified.join(', ') })
    : checkFailed('domains', 'The account has no verified domain')
}
