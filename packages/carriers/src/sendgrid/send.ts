import { z } from 'zod'
import { checkFailed, checkPassed } from '../account-check.ts'
import { quoted, specials } from '../format-mailbox.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { Attachment, Correlation, EmailMessage, Mailbox } from '../messages.ts'
import { travellingWith } from '../travelling-with.ts'
import { verdictOfStatus } from '../verdict.ts'
import type { SendgridCredentials } from './credentials.ts'
import { sendgridDomains } from './domains.ts'
import { apiOf } from './hosts.ts'

/**
 * Sends email through the Web API (v3).
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 * @see https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/errors
 */
export const sendgridSender = defineHttpSender<SendgridCredentials, EmailMessage>(
  {
    ...apiOf,
    requestOf: ({ credentials }, message) => ({ path: '/v3/mail/send', body: bodyOf(credentials, message) }),
    idOf: ({ status, headers }) => (status === 202 ? String(headers['x-message-id'] ?? '') || null : undefined),
    refusalOf,
    isOfSender: ({ code, sentence = '' }) => code === 'http_403' && /from address/i.test(sentence),
    // Seconds until the limit is reset, or the time when it is. Every answer has them, and most ask for no wait.
    retryAfterOf: ({ status, headers }) => (status === 429 ? secondsUntil(headers['x-ratelimit-reset']) : undefined),
    check: { pathOf: () => '/v3/scopes', read: readScopes },
  },
  sendgridDomains,
)

function bodyOf(credentials: SendgridCredentials, message: EmailMessage & Correlation) {
  const { to, to_name, cc, bcc, reply_to, subject, text, html, headers, attachments } = message
  const from_name = message.from_name ?? credentials.from_name
  const content = { 'text/plain': text, 'text/html': html }
  return {
    personalizations: [
      {
        to: [recipientOf({ address: to, ...(to_name && { name: to_name }) })],
        ...(cc && { cc: cc.map(recipientOf) }),
        ...(bcc && { bcc: bcc.map(recipientOf) }),
        // They return in every event.
        custom_args: travellingWith(message),
      },
    ],
    from: { email: message.from ?? credentials.from, ...(from_name && { name: from_name }) },
    ...(reply_to && { reply_to_list: reply_to.map(addressOf) }),
    subject,
    ...(headers && { headers }),
    ...(attachments && { attachments: attachments.map(attachmentOf) }),
    content: Object.entries(content).flatMap(([type, value]) => (value === undefined ? [] : [{ type, value }])),
  }
}

/**
 * SendGrid takes the name and the address of a recipient as one text, and drops the message for the part before a comma.
 * @see https://github.com/sendgrid/sendgrid-python/issues/291
 */
const recipientOf = ({ address, name }: Mailbox) =>
  addressOf({ address, ...(name && { name: specials.test(name) ? quoted(name) : name }) })

const addressOf = ({ address: email, name }: Mailbox) => ({ email, ...(name && { name }) })

const attachmentOf = ({ filename, content_type, content, content_id }: Attachment) => ({
  content: content.toString('base64'),
  filename,
  // Without parameters, which SendGrid refuses.
  type: content_type.split(';', 1)[0],
  ...(content_id === undefined ? { disposition: 'attachment' } : { disposition: 'inline', content_id }),
})

const Refused = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) })

/** SendGrid has no codes of errors: the status says it all. */
function refusalOf({ status, body }: HttpAnswer) {
  const sentence = Refused.safeParse(body).data?.errors[0]?.message
  return { code: `http_${status}`, verdict: verdictOfStatus(status), sentence }
}

/** A larger number of seconds is a time, not a wait. */
const leastEpochS = 1e9

function secondsUntil(reset: string | string[] | undefined): string | undefined {
  const seconds = Number(reset)
  const nowS = Math.floor(Date.now() / 1000)
  return Number.isInteger(seconds) ? String(Math.max(seconds > leastEpochS ? seconds - nowS : seconds, 1)) : undefined
}

const Scopes = z.object({ scopes: z.array(z.string()) })

function readScopes({ status, body }: HttpAnswer) {
  const scopes = Scopes.safeParse(body)
  if (status !== 200 || !scopes.success) return undefined
  return scopes.data.scopes.includes('mail.send')
    ? checkPassed('The API key of the account may send')
    : checkFailed('mail.send', 'The API key lacks the permission Mail Send')
}
