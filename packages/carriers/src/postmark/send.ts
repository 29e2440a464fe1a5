import { z } from 'zod'
import { checkPassed } from '../account-check.ts'
import { formatMailbox } from '../format-mailbox.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { Attachment, Correlation, EmailMessage } from '../messages.ts'
import { mailboxTexts } from '../recipients-of.ts'
import { travellingWith } from '../travelling-with.ts'
import { verdictOfStatus } from '../verdict.ts'
import { postmarkCodes } from './codes.ts'
import type { PostmarkCredentials } from './credentials.ts'
import { postmarkDomains } from './domains.ts'

/**
 * Sends email through the API of a Postmark server.
 * @see https://postmarkapp.com/developer/api/email-api
 */
export const postmarkSender = defineHttpSender<PostmarkCredentials, EmailMessage>(
  {
    standInPath: '/postmark',
    baseUrlOf: () => 'https://api.postmarkapp.com',
    headersOf: ({ server_token }) => ({ 'x-postmark-server-token': server_token }),
    requestOf: ({ credentials }, message) => ({ path: '/email', body: bodyOf(credentials, message) }),
    idOf: ({ status, body }) =>
      status === 200 && !isOfCopiesAlone(body) ? Sent.safeParse(body).data?.MessageID : undefined,
    refusalOf,
    isOfSender: ({ code }) => code === '400' || code === '401',
    isRefusal: ({ body }) => isOfCopiesAlone(body),
    refusedOf: ({ body }) => inactiveOf(body),
    check: { pathOf: () => '/server', read: readServer },
  },
  postmarkDomains,
)

function bodyOf(credentials: PostmarkCredentials, message: EmailMessage & Correlation) {
  const { to, to_name, subject, text, html, headers, attachments } = message
  const listed = (mailboxes: EmailMessage['cc']) => mailboxTexts(mailboxes)?.join(', ')
  return {
    From: formatMailbox(message.from ?? credentials.from, message.from_name ?? credentials.from_name),
    To: formatMailbox(to, to_name),
    Cc: listed(message.cc),
    Bcc: listed(message.bcc),
    ReplyTo: listed(message.reply_to),
    Subject: subject,
    TextBody: text,
    HtmlBody: html,
    MessageStream: credentials.message_stream,
    Headers: headers && Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
    Attachments: attachments?.map(attachmentOf),
    // It returns in every webhook: names of at most 20 characters, values of at most 80.
    Metadata: travellingWith(message),
  }
}

const attachmentOf = ({ filename, content_type, content, content_id }: Attachment) => ({
  Name: filename,
  Content: content.toString('base64'),
  ContentType: content_type,
  ...(content_id !== undefined && { ContentID: `cid:${content_id}` }),
})

const Sent = z.object({ ErrorCode: z.literal(0), MessageID: z.string().min(1) })
const Refused = z.object({ ErrorCode: z.int(), Message: z.string().optional() })
const Partly = z.object({ ErrorCode: z.literal(0), To: z.string().min(1), Message: z.string() })
const inactive = 'will not deliver to these inactive addresses:'

/** The addresses that Postmark leaves out of a message that it takes: the code is 0, and a sentence lists them. */
function inactiveOf(body: unknown): string[] {
  const { Message = '' } = Partly.safeParse(body).data ?? {}
  const at = Message.indexOf(inactive)
  if (at === -1) return []
  const listed = Message.slice(at + inactive.length).split(/[\s,;]+/)
  // The last address ends a sentence.
  return listed.map((address) => address.toLowerCase().replace(/\.$/, ''))
}

/** Whether Postmark took the message for its copies, and not for its recipient. */
function isOfCopiesAlone(body: unknown): boolean {
  const to = Partly.safeParse(body).data?.To
  return to !== undefined && inactiveOf(body).includes(addressIn(to))
}

const addressIn = (mailbox: string) =>
  mailbox
    .slice(mailbox.lastIndexOf('<') + 1)
    .replace('>', '')
    .trim()
    .toLowerCase()

function refusalOf({ status, body }: HttpAnswer) {
  const refused = Refused.safeParse(body).data
  if (!refused) return { code: `http_${status}`, verdict: verdictOfStatus(status), sentence: undefined }
  // Of the code for an inactive recipient.
  const code = inactiveOf(body).length > 0 ? '406' : String(refused.ErrorCode)
  return { code, verdict: postmarkCodes.judge(status, code), sentence: refused.Message }
}

const Server = z.object({ ID: z.int(), Name: z.string(), DeliveryType: z.string().optional() })

function readServer({ status, body }: HttpAnswer) {
  const server = Server.safeParse(body)
  if (status !== 200 || !server.success) return undefined
  const { Name: name, DeliveryType: delivery_type } = server.data
  return checkPassed('The token belongs to a server of the account', { name, delivery_type })
}
