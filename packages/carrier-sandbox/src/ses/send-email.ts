import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { decodeWords } from 'postal-mime'
import { behaviourOfEmail } from '../behaviours.ts'
import { mostUnderWay, type Reporter } from '../callbacks/reporter.ts'
import type { LoggedMessage, MessageLog } from '../messages/message-log.ts'
import { randomHex } from '../random-hex.ts'
import type { Sns } from '../sns/sns.ts'
import type { SesCaller } from './account.ts'
import { createDeviations, type Outcome } from './deviations.ts'
import type { Email } from './email.ts'
import { errors, sendError } from './errors.ts'
import type { IdentityStore } from './identity-store.ts'
import { readEmail } from './read-email.ts'
import { readJson } from './read-json.ts'
import { reportEvents } from './report-events.ts'
import type { SentEmail } from './ses-event.ts'

/** What sending needs. */
export interface SendContext {
  log: MessageLog
  reporter: Reporter
  sns: Sns
  identities: IdentityStore
  topicArn: string
  configurationSet: string
}

/** `POST /v2/email/outbound-emails`: logs a message for each recipient, and lets the events of each follow. */
export function sendEmail(context: SendContext): RequestHandler {
  const { log, reporter, identities, configurationSet } = context
  const deviations = createDeviations()
  return async (req, res) => {
    const caller = res.locals.caller as SesCaller
    const json = readJson(req)
    if ('error' in json) return sendError(res, json.error)
    const email = await readEmail(json.body)
    if ('error' in email) return sendError(res, email.error)
    if (email.configurationSet !== undefined && email.configurationSet !== configurationSet) {
      return sendError(res, errors.notFound(`Configuration set <${email.configurationSet}> does not exist.`))
    }
    const fault = identities.faultOfSender(caller, email.fromAddress)
    if (fault) return sendError(res, fault)
    const outcomes = email.destination.map((to) => ({ to, outcome: deviations[behaviourOfEmail(to)](email, to) }))
    const refused = outcomes.map(({ outcome }) => outcome).find((outcome) => 'error' in outcome)
    if (refused) return sendError(res, refused.error, refused.headers)
    if (reporter.underWay >= mostUnderWay) return sendError(res, errors.tooManyRequests(), { 'Retry-After': '1' })
    const sent: SentEmail = {
      caller,
      email,
      messageId: `0100${Date.now().toString(16).padStart(12, '0')}-${randomUUID()}-000000`,
      acceptedAt: new Date().toISOString(),
      sourceIp: req.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
      configurationSet,
    }
    const accepted = outcomes as { to: string; outcome: Exclude<Outcome, { error: unknown }> }[]
    const messages = accepted.map(({ to, outcome }) => ({ message: messageOf(sent, to, json.body, req), outcome }))
    // The first recipient is the newest: it is the one that is meant.
    for (const { message } of messages.toReversed()) log.add(message)
    if (accepted.every(({ outcome }) => outcome.isAnswered)) res.json({ MessageId: sent.messageId })
    for (const { message, outcome } of messages) void reportEvents(context, sent, message, outcome.steps)
  }
}

interface Shown extends Record<string, unknown> {
  Content?: { Raw?: { Data?: string } }
}

/** The request without a large message, which the log would keep for each recipient. */
function shown(body: Shown): Shown {
  const size = body.Content?.Raw?.Data?.length ?? 0
  return size < largeMessage ? body : { ...body, Content: { Raw: { Data: `[${size} characters]` } } }
}

const largeMessage = 64 * 1024

function messageOf(sent: SentEmail, to: string, body: unknown, req: Request): LoggedMessage {
  const { email, caller, messageId, acceptedAt } = sent
  const { subject, text, html, parts }: Email = email
  return {
    id: `msg_${randomHex()}`,
    channel: 'email',
    account: caller.account.accessKeyId,
    to,
    from: decodeWords(email.from),
    subject,
    text,
    ...(html !== undefined && { html }),
    ...parts,
    provider_message_id: messageId,
    status: 'accepted',
    error_code: null,
    received_at: acceptedAt,
    sent_at: null,
    request: { headers: { ...req.headers, authorization: '[redacted]' }, body: shown(body as Shown) },
  }
}
