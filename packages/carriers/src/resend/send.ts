import { z } from 'zod'
import { checkFailed, checkPassed } from '../account-check.ts'
import { formatMailbox } from '../format-mailbox.ts'
import type { HttpAnswer } from '../http-client.ts'
import { defineHttpSender } from '../http-sender.ts'
import type { Correlation, EmailMessage } from '../messages.ts'
import { accountDown, verdictOfStatus } from '../verdict.ts'
import { resendCodes } from './codes.ts'
import type { ResendCredentials } from './credentials.ts'
import { resendDomains } from './domains.ts'
import { apiOf } from './hosts.ts'

/**
 * Sends email through the API of Resend.
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
export const resendSender = defineHttpSender<ResendCredentials, EmailMessage>(
  {
    ...apiOf,
    requestOf: ({ credentials }, message) => ({ path: '/emails', body: bodyOf(credentials, message) }),
    idOf: ({ status, body }) => (status < 300 ? Sent.safeParse(body).data?.id : undefined),
    refusalOf,
    check: { pathOf: () => '/domains', read: readDomains },
  },
  resendDomains,
)

function bodyOf(credentials: ResendCredentials, message: EmailMessage & Correlation) {
  const { to, to_name, subject, text, html, notificationId, attemptId, traceparent } = message
  // Tags return in every event: letters, digits, underscores and dashes.
  const tags = { notification_id: notificationId, attempt_id: attemptId, ...(traceparent && { traceparent }) }
  return {
    from: formatMailbox(message.from ?? credentials.from, message.from_name ?? credentials.from_name),
    to: [formatMailbox(to, to_name)],
    subject,
    text,
    html,
    tags: Object.entries(tags).map(([name, value]) => ({ name, value })),
  }
}

const Sent = z.object({ id: z.string().min(1) })
const Refused = z.object({ name: z.string(), message: z.string().optional() })

function refusalOf({ status, body }: HttpAnswer) {
  const refused = Refused.safeParse(body).data
  if (!refused) return { code: `http_${status}`, verdict: verdictOfStatus(status), sentence: undefined }
  const { name: code, message: sentence } = refused
  // With 403 it is the sending domain that is not verified.
  const verdict = status === 403 ? accountDown() : resendCodes.judge(status, code)
  return { code, verdict, sentence }
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
