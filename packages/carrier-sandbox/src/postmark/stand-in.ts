import { randomInt, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { secretText, webhookUrl } from '../stand-ins/account.ts'
import { attachmentOf, mailParts } from '../stand-ins/mail-parts.ts'
import { addressOf, defineStandIn, jsonOf, mailboxesIn, parsed, type Step } from '../stand-ins/stand-in.ts'
import { postmarkDomains } from './domains.ts'

const Account = z.strictObject({
  server_token: secretText,
  /** Account token; Postmark's domains API requires it. */
  account_token: secretText.optional(),
  webhook_password: secretText,
  webhook_url: webhookUrl,
})

const SendRequest = z
  .object({
    From: z.string().min(3),
    To: z.string().min(3),
    Cc: z.string().optional(),
    Bcc: z.string().optional(),
    ReplyTo: z.string().optional(),
    Headers: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
    Attachments: z
      .array(
        z.object({
          Name: z.string().min(1),
          Content: z.base64(),
          ContentType: z.string().min(1),
          ContentID: z.string().startsWith('cid:').optional(),
        }),
      )
      .optional(),
    Subject: z.string().optional(),
    TextBody: z.string().optional(),
    HtmlBody: z.string().optional(),
    MessageStream: z.string().default('outbound'),
    Metadata: z.record(z.string().max(20), z.string().max(80)).default({}),
  })
  .refine(({ TextBody, HtmlBody }) => TextBody || HtmlBody, 'Provide either email TextBody or HtmlBody or both.')

const error = (status: number, ErrorCode: number, Message: string) => ({ status, body: { ErrorCode, Message } })

const bounce = (Type: string, TypeCode: number) => ({ RecordType: 'Bounce', Type, TypeCode, Inactive: TypeCode === 1 })
const records: Partial<Record<Step, object>> = {
  delivered: { RecordType: 'Delivery', Details: '250 OK' },
  bounced: bounce('HardBounce', 1),
  softBounced: bounce('SoftBounce', 4096),
  delayed: bounce('Transient', 2),
  rejected: bounce('VirusNotification', 8192),
  complained: { RecordType: 'SpamComplaint', Type: 'SpamComplaint', TypeCode: 512 },
}

/** Postmark's API of a server, and its webhooks with Basic auth. */
export const postmark = defineStandIn<z.output<typeof Account>>({
  name: 'postmark',
  channel: 'email',
  takesFiles: true,
  account: Account,
  isOf({ headers, path }, { server_token, account_token }) {
    if (!path.startsWith('/domains')) return headers['x-postmark-server-token'] === server_token
    return account_token !== undefined && headers['x-postmark-account-token'] === account_token
  },
  sendPath: '/email',
  read(req) {
    const data = parsed(SendRequest, jsonOf(req))
    if (typeof data === 'string') return data
    const { From: from, To, Subject: subject = '', TextBody: text = '', HtmlBody: html, Metadata: travelled } = data
    const parts = mailParts({
      cc: mailboxesIn(data.Cc),
      bcc: mailboxesIn(data.Bcc),
      reply_to: mailboxesIn(data.ReplyTo),
      headers: Object.fromEntries(data.Headers.map(({ Name, Value }) => [Name, Value])),
      attachments: data.Attachments?.map(({ Name: filename, ContentType: content_type, ContentID, Content }) =>
        attachmentOf({ filename, content_type, content_id: ContentID?.slice('cid:'.length) }, Content),
      ),
    })
    return { to: addressOf(To), from, subject, text, html, ...parts, travelled }
  },
  newMessageId: () => randomUUID(),
  check: { path: '/server', answer: () => ({ status: 200, body: { ID: 1, Name: 'Sandbox', DeliveryType: 'Live' } }) },
  domains: postmarkDomains,
  accepted: (MessageID, { to: To }) => ({
    status: 200,
    body: { To, SubmittedAt: new Date().toISOString(), MessageID, ErrorCode: 0, Message: 'OK' },
  }),
  refused: {
    unauthorized: error(401, 10, 'Request does not contain a valid Server token.'),
    recipient: error(422, 406, 'You tried to send to a recipient that has been marked as inactive.'),
    throttled: { ...error(429, 429, 'Rate limit exceeded'), headers: { 'Retry-After': '1' } },
    broken: { status: 503 },
    invalid: (detail) => error(422, 300, detail),
  },
  webhook({ webhook_password }, { message, travelled }, step) {
    if (!records[step]) return undefined
    const record = {
      ...records[step],
      ID: randomInt(2 ** 31),
      MessageID: message.provider_message_id,
      MessageStream: 'outbound',
      ServerID: 1,
      Metadata: travelled,
      ...(step === 'delivered'
        ? { ID: undefined, Recipient: message.to, DeliveredAt: new Date().toISOString() }
        : { Email: message.to, Details: `smtp;550 5.1.1 <${message.to}>: user unknown` }),
    }
    const login = Buffer.from(`postmark:${webhook_password}`).toString('base64')
    return {
      headers: { 'Content-Type': 'application/json', Authorization: `Basic ${login}` },
      body: JSON.stringify(record),
    }
  },
})
