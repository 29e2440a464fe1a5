import type { Callback } from '../callbacks/callback-sender.ts'
import type { TwilioAccount } from './account.ts'
import { countSegments } from './count-segments.ts'
import { apiVersion } from './message-resource.ts'
import { signedCallback } from './sign-callback.ts'

/** The keywords of Advanced Opt-Out, by type: a keyword is the whole message, in any letter case. */
const optOutTypes = {
  STOP: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
  START: ['START', 'YES', 'UNSTOP'],
  HELP: ['HELP', 'INFO'],
} as const

/** A text message from a person to a number of the account. */
export interface InboundMessage {
  messageSid: string
  from: string
  to: string
  body: string
}

/**
 * The signed request that reports an inbound message to a customer.
 * @see https://www.twilio.com/docs/messaging/guides/webhook-request
 * @see https://www.twilio.com/docs/messaging/tutorials/advanced-opt-out
 */
export function inboundMessage(account: TwilioAccount, url: string, message: InboundMessage): Callback {
  const { messageSid, from, to, body } = message
  const optOutType = optOutTypeOf(body)
  const parameters: Record<string, string> = {
    ToCountry: 'US',
    ToState: '',
    SmsMessageSid: messageSid,
    NumMedia: '0',
    ToCity: '',
    FromZip: '',
    SmsSid: messageSid,
    ...(optOutType && { OptOutType: optOutType }),
    FromState: '',
    SmsStatus: 'received',
    FromCity: '',
    Body: body,
    FromCountry: 'US',
    To: to,
    ToZip: '',
    NumSegments: String(countSegments(body)),
    MessageSid: messageSid,
    AccountSid: account.sid,
    From: from,
    ApiVersion: apiVersion,
  }
  return signedCallback(account, url, parameters)
}

function optOutTypeOf(body: string): string | undefined {
  const word = body.trim().toUpperCase()
  return Object.entries(optOutTypes).find(([, words]) => (words as readonly string[]).includes(word))?.[0]
}
