import { z } from 'zod'
import { checkFailed, checkPassed } from '../account-check.ts'
import { formatMailbox } from '../format-mailbox.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { Attachment, Correlation, EmailMessage } from '../messages.ts'
import { type Multipart, multipartOf } from '../multipart.ts'
import { mailboxTexts } from '../recipients-of.ts'
import { travellingWith } from '../travelling-with.ts'
import { accountDown, later, type Verdict, verdictOfStatus } from '../verdict.ts'
import type { MailgunCredentials } from './credentials.ts'
import { mailgunDomains } from './domains.ts'
import { apiOf } from './hosts.ts'

/**
 * Sends email through the API of Mailgun.
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages
 */
export const mailgunSender = defineHttpSender<MailgunCredentials, EmailMessage>(
  {
    ...apiOf,
    requestOf: ({ credentials }, message) => ({
      path: `/v3/${message.verified_domain ?? credentials.domain}/messages`,
      body: formOf(credentials, message),
    }),
    idOf: ({ status, body }) => (status === 200 ? Sent.safeParse(body).data?.id : undefined),
    refusalOf,
    // Of the domain in the path of the request: it is unknown, or may not send.
    isOfSender: ({ code, sentence }, { verified_domain }) =>
      verified_domain !== undefined && (code === 'http_404' || refusesDomain(sentence)),
    retryAfterOf,
    check: { pathOf: ({ domain }) => `/v4/domains/${domain}`, read: readDomain },
  },
  mailgunDomains,
)

/** Names of the form: headers after `h:`, what returns in every event after `v:`. */
function formOf(credentials: MailgunCredentials, message: EmailMessage & Correlation): URLSearchParams | Multipart {
  const { to, to_name, cc, bcc, reply_to, subject, text, html, headers = {}, attachments } = message
  const listed = (mailboxes: EmailMessage['cc']) => mailboxTexts(mailboxes)?.join(', ')
  const inlineNames = inlineNamesOf(attachments ?? [])
  const fields = {
    from: formatMailbox(message.from ?? credentials.from, message.from_name ?? credentials.from_name),
    to: formatMailbox(to, to_name),
    cc: listed(cc),
    bcc: listed(bcc),
    subject,
    text,
    html: html && withNames(html, inlineNames),
    'h:Reply-To': listed(reply_to),
    ...prefixed('h:', headers),
    ...prefixed('v:', travellingWith(message)),
  }
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return attachments
    ? multipartOf(`form-${message.attemptId}`, given, attachments.map(fileOf(inlineNames)))
    : new URLSearchParams(given)
}

const prefixed = (prefix: string, fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [prefix + name, value]))

const fileOf =
  (inlineNames: ReadonlyMap<string, string>) =>
  ({ filename, content_type, content, content_id }: Attachment) => ({
    field: content_id === undefined ? 'attachment' : 'inline',
    filename: content_id === undefined ? filename : inlineNames.get(content_id)!,
    content_type,
    content,
  })

/**
 * Names of inline images by content id. Mailgun makes the content id of the name, which needs its ending to be opened once it is
 * saved.
 */
function inlineNamesOf(attachments: readonly Attachment[]): ReadonlyMap<string, string> {
  const ids = new Set(attachments.map(({ content_id }) => content_id))
  return new Map(
    attachments.flatMap(({ content_id: id, filename }) => {
      if (id === undefined) return []
      const ending = /\.[A-Za-z0-9]{1,10}$/.exec(filename)?.[0] ?? ''
      const hasEnding = id.toLowerCase().endsWith(ending.toLowerCase()) || ids.has(id + ending)
      return [[id, hasEnding ? id : id + ending] as const]
    }),
  )
}

/** The HTML with the content ids that Mailgun will make. */
function withNames(html: string, inlineNames: ReadonlyMap<string, string>): string {
  return html.replace(/\bcid:([^\s"'<>)]{1,250})/g, (whole, id: string) =>
    inlineNames.has(id) ? `cid:${inlineNames.get(id)}` : whole,
  )
}

/** Events name the message without the brackets. */
const MessageId = z.string().transform((id) => id.replace(/^<|>$/g, ''))
const Sent = z.object({ id: MessageId.pipe(z.string().min(1)) })
const Refused = z.object({ message: z.string() })

const statuses: Record<number, Verdict> = {
  402: accountDown('The account may not send: its plan or payment is at fault'),
  404: accountDown('The sending domain does not exist at Mailgun'),
  // The hourly limit of recipients.
  420: later(),
}

/** Whether the sending domain, not the account, is unverified, disabled or over a limit. */
const refusesDomain = (sentence = '') => /^(?!.*\baccount\b).*is not allowed to send/i.test(sentence)

/** Mailgun has no codes of errors: the status decides, except that a domain which may not send is refused with 403 or 400. */
function refusalOf({ status, body }: HttpAnswer) {
  const sentence = Refused.safeParse(body).data?.message
  const isOfDomain = status === 400 && refusesDomain(sentence)
  const verdict = isOfDomain ? accountDown() : (statuses[status] ?? verdictOfStatus(status))
  return { code: `http_${status}`, verdict, sentence }
}

const untilWhen = 'try again after '

/** The end of a limit, which only the sentence says. */
function retryAfterOf({ status, body }: HttpAnswer): string | undefined {
  if (status !== 420 && status !== 429) return undefined
  return Refused.safeParse(body).data?.message.split(untilWhen, 2)[1]
}

const Domain = z.object({ domain: z.object({ name: z.string(), state: z.string() }) })

function readDomain({ status, body }: HttpAnswer) {
  const found = Domain.safeParse(body)
  if (status !== 200 || !found.success) return undefined
  const { state, name } = found.data.domain
  return state === 'active'
    ? checkPassed('The domain of the account may send', { name, state })
    : checkFailed(state, `The domain is ${state}`, { name, state })
}
