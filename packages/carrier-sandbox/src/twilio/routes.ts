import { type RequestHandler, Router } from 'express'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import type { Reporter } from '../callbacks/reporter.ts'
import type { MessageLog } from '../messages/message-log.ts'
import { authenticate, type TwilioAccount } from './account.ts'
import { createMessage } from './create-message.ts'
import { errors, sendError } from './errors.ts'
import { apiVersion, messageResource } from './message-resource.ts'

/** What Twilio's stand-in shares with those of other carriers. */
export interface TwilioContext {
  accounts: readonly TwilioAccount[]
  log: MessageLog
  sender: CallbackSender
  reporter: Reporter
}

/** Twilio's Messages API, limited to what sending text messages needs. */
export function twilioRoutes(context: TwilioContext): Router {
  const accounts = new Map(context.accounts.map((account) => [account.sid, account]))
  const { log, reporter, sender } = context
  const account = `/${apiVersion}/Accounts/:accountSid`
  return Router()
    .get(`${account}.json`, authenticate(accounts), fetchAccount)
    .post(`${account}/Messages.json`, authenticate(accounts), createMessage(accounts, log, reporter, sender))
    .get(`${account}/Messages/:messageSid.json`, authenticate(accounts), fetchMessage(log))
    .use((req, res) => sendError(res, errors.notFound(req.path)))
}

/** `GET …/Accounts/{sid}.json`: an active account. */
const fetchAccount: RequestHandler<{ accountSid: string }> = (req, res) =>
  void res.json({ sid: req.params.accountSid, friendly_name: 'Sandbox', status: 'active', type: 'Full' })

/** `GET …/Messages/{sid}.json`: the message in its current state. */
function fetchMessage(log: MessageLog): RequestHandler<{ accountSid: string; messageSid: string }> {
  return (req, res) => {
    const message = log.findByProviderId(req.params.messageSid)
    if (message?.account === req.params.accountSid) res.json(messageResource(message))
    else sendError(res, errors.notFound(req.path))
  }
}
