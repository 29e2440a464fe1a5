import PostalMime, { type Address } from 'postal-mime'
import { attachmentOf, mailParts } from '../stand-ins/mail-parts.ts'
import { readAddress } from './address.ts'
import type { Email } from './email.ts'
import { errors, type SesError } from './errors.ts'
import { SendRequest } from './send-request.ts'

const mostRecipients = 50

/** Reads the body of a send request, and refuses what SES refuses. */
export async function readEmail(body: unknown): Promise<Email | { error: SesError }> {
  const parsed = SendRequest.safeParse(body)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return { error: errors.badRequest(`${issue?.path.join('.')}: ${issue?.message}`) }
  }
  const request = parsed.data
  const { Simple: simple, Raw: raw, Template: template } = request.Content
  if ([simple, raw, template].filter(Boolean).length !== 1) {
    return { error: errors.badRequest('Content must have exactly one of Simple, Raw and Template.') }
  }
  if (template) return { error: errors.notFound(`Template ${template.TemplateName ?? ''} does not exist.`) }
  const draft = raw ? await draftOfRaw(request, raw.Data) : draftOfSimple(request, simple!)
  return checked(request, draft)
}

/** An email whose addresses are not validated yet. */
type Draft = Omit<Email, 'fromAddress' | 'destination'> & { recipients: string[] }

function draftOfSimple(
  request: SendRequest,
  { Subject, Body, Headers }: NonNullable<SendRequest['Content']['Simple']>,
): Draft {
  const { ToAddresses: to, CcAddresses: cc, BccAddresses: bcc } = request.Destination
  const { FromEmailAddress: from = '', ReplyToAddresses: replyTo } = request
  const type = Body.Text && Body.Html ? 'multipart/alternative' : Body.Html ? 'text/html' : 'text/plain'
  const headers = [
    { name: 'From', value: from },
    { name: 'To', value: to.join(', ') },
    ...(cc.length > 0 ? [{ name: 'Cc', value: cc.join(', ') }] : []),
    ...(replyTo.length > 0 ? [{ name: 'Reply-To', value: replyTo.join(', ') }] : []),
    { name: 'Subject', value: Subject.Data },
    { name: 'MIME-Version', value: '1.0' },
    { name: 'Content-Type', value: type === 'multipart/alternative' ? type : `${type}; charset=UTF-8` },
    ...Headers.map(({ Name, Value }) => ({ name: Name, value: Value })),
  ]
  return {
    from,
    to,
    recipients: [...to, ...cc, ...bcc],
    subject: Subject.Data,
    text: Body.Text?.Data ?? '',
    html: Body.Html?.Data,
    parts: mailParts({
      cc,
      bcc,
      reply_to: replyTo,
      headers: ownHeaders(Headers.map(({ Name, Value }) => [Name, Value])),
    }),
    headers,
    ...settingsOf(request),
  }
}

/** Recipients and sender of the request override those of the message, as an envelope does. */
async function draftOfRaw(request: SendRequest, data: string): Promise<Draft> {
  const message = await PostalMime.parse(Buffer.from(data, 'base64'))
  const { ToAddresses, CcAddresses, BccAddresses } = request.Destination
  const named = [...ToAddresses, ...CcAddresses, ...BccAddresses]
  const to = (message.to ?? []).flatMap(mailboxesOf)
  const inMessage = [...to, ...(message.cc ?? []).flatMap(mailboxesOf), ...(message.bcc ?? []).flatMap(mailboxesOf)]
  const [from = ''] = message.from ? mailboxesOf(message.from) : []
  return {
    from: from || (request.FromEmailAddress ?? ''),
    to: to.length > 0 ? to : ToAddresses,
    recipients: named.length > 0 ? named : inMessage,
    subject: message.subject ?? '',
    text: message.text ?? '',
    html: message.html,
    parts: mailParts({
      cc: (message.cc ?? []).flatMap(mailboxesOf),
      bcc: BccAddresses,
      reply_to: (message.replyTo ?? []).flatMap(mailboxesOf),
      headers: ownHeaders(message.headers.map(({ originalKey, value }) => [originalKey, value])),
      attachments: message.attachments.map(({ filename, mimeType, contentId, content }) =>
        attachmentOf(
          { filename: filename ?? '', content_type: mimeType, content_id: contentId?.replace(/^<|>$/g, '') },
          typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
        ),
      ),
    }),
    headers: message.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    ...settingsOf(request),
  }
}

/** Headers that a caller sets. */
const ownHeader = /^(?:x-|in-reply-to|references|list-|content-language)/i

const ownHeaders = (headers: [name: string, value: string][]) =>
  Object.fromEntries(headers.filter(([name]) => ownHeader.test(name)))

function settingsOf({ EmailTags, ConfigurationSetName }: SendRequest): Pick<Email, 'tags' | 'configurationSet'> {
  const tags = Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, Value]))
  return { tags, configurationSet: ConfigurationSetName }
}

function mailboxesOf({ name, address, group }: Address): string[] {
  if (group) return group.flatMap(mailboxesOf)
  return address ? [name ? `${name} <${address}>` : address] : []
}

function checked(request: SendRequest, { recipients, ...draft }: Draft): Email | { error: SesError } {
  if (recipients.length === 0) return { error: errors.badRequest('Destination must have at least one recipient.') }
  if (recipients.length > mostRecipients) {
    return { error: errors.badRequest(`Recipient count exceeds ${mostRecipients}.`) }
  }
  const from = readAddress(request.FromEmailAddress ?? draft.from)
  if ('error' in from) return from
  const destination: string[] = []
  for (const mailbox of recipients) {
    const read = readAddress(mailbox)
    if ('error' in read) return read
    destination.push(read.address)
  }
  for (const mailbox of request.ReplyToAddresses) {
    const read = readAddress(mailbox)
    if ('error' in read) return read
  }
  return { ...draft, fromAddress: from.address, destination }
}
