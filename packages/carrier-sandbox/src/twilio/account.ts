import type { RequestHandler } from 'express'
import { errors, sendError } from './errors.ts'

/** A Twilio account that may send; the auth token is the password of requests and the key of callback signatures. */
export interface TwilioAccount {
  sid: string
  authToken: string
}

/** Admits a request whose Basic credentials are those of the account in its path. */
export function authenticate(accounts: ReadonlyMap<string, TwilioAccount>): RequestHandler<{ accountSid: string }> {
  return (req, res, next) => {
    const [scheme = '', credentials = ''] = (req.headers.authorization ?? '').split(' ')
    const account = accounts.get(req.params.accountSid)
    const given = scheme.toLowerCase() === 'basic' ? Buffer.from(credentials, 'base64').toString() : ''
    if (account && given === `${account.sid}:${account.authToken}`) next()
    else sendError(res.set('WWW-Authenticate', 'Basic realm="Twilio API"'), errors.authenticate())
  }
}
