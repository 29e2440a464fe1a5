import type { Request, RequestHandler } from 'express'
import { behaviourOfPhone } from '../behaviours.ts'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import { mostUnderWay, type Reporter } from '../callbacks/reporter.ts'
import type { LoggedMessage, MessageLog } from '../messages/message-log.ts'
import { randomHex } from '../random-hex.ts'
import type { TwilioAccount } from './account.ts'
import { createDeviations } from './deviations.ts'
import { errors, sendError } from './errors.ts'
import { messageResource } from './message-resource.ts'
import { type CreateRequest, readCreateRequest } from './read-create-request.ts'
import { reportStatus } from './report-status.ts'

/** `POST …/Messages.json`: logs the message, answers as its recipient's behaviour says and lets the callbacks follow. */
export function createMessage(
  accounts: ReadonlyMap<string, TwilioAccount>,
  log: MessageLog,
  reporter: Reporter,
  sender: CallbackSender,
): RequestHandler<{ accountSid: string }> {
  const deviations = createDeviations()
  return (req, res) => {
    const account = accounts.get(req.params.accountSid)
    if (!account) return sendError(res, errors.authenticate())
    const request = readCreateRequest(Buffer.isBuffer(req.body) ? req.body.toString() : '')
    if ('error' in request) return sendError(res, request.error)
    const outcome = deviations[behaviourOfPhone(request.to)](request)
    if ('error' in outcome) return sendError(res, outcome.error, outcome.headers)
    if (reporter.underWay >= mostUnderWay) return sendError(res, errors.tooManyRequests(), { 'Retry-After': '1' })
    const message = messageOf(account, request, req.headers)
    log.add(message)
    if (outcome.isAnswered) res.status(201).json(messageResource(message))
    void reportStatus(reporter, sender, {
      account,
      message,
      callbackUrl: request.statusCallback,
      steps: outcome.steps,
    })
  }
}

function messageOf(account: TwilioAccount, request: CreateRequest, headers: Request['headers']): LoggedMessage {
  return {
    id: `msg_${randomHex()}`,
    channel: 'sms',
    account: account.sid,
    to: request.to,
    from: request.from ?? request.messagingServiceSid ?? '',
    text: request.body,
    provider_message_id: `SM${randomHex()}`,
    status: request.messagingServiceSid ? 'accepted' : 'queued',
    error_code: null,
    received_at: new Date().toISOString(),
    sent_at: null,
    request: { headers: { ...headers, authorization: '[redacted]' }, body: request.parameters },
  }
}
