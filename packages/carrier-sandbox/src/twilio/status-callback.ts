import type { Callback } from '../callbacks/callback-sender.ts'
import type { LoggedMessage } from '../messages/message-log.ts'
import type { TwilioAccount } from './account.ts'
import type { Step } from './deviations.ts'
import { apiVersion } from './message-resource.ts'
import { signedCallback } from './sign-callback.ts'

/** The number that a messaging service is assumed to pick: Twilio's own test sender. */
const pooledSender = '+15005550006'

/**
 * The signed request that reports a message's new state to a customer.
 * @see https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */
export function statusCallback(account: TwilioAccount, url: string, message: LoggedMessage, step: Step): Callback {
  const { From: from, MessagingServiceSid: messagingServiceSid } = message.request.body
  const parameters: Record<string, string> = {
    MessageSid: message.provider_message_id,
    SmsSid: message.provider_message_id,
    MessageStatus: step.status,
    SmsStatus: step.status,
    To: message.to,
    From: String(from ?? pooledSender),
    AccountSid: account.sid,
    ApiVersion: apiVersion,
  }
  if (step.errorCode !== undefined) parameters.ErrorCode = String(step.errorCode)
  if (messagingServiceSid) parameters.MessagingServiceSid = String(messagingServiceSid)
  if (step.status === 'delivered') parameters.RawDlrDoneDate = receiptTime(new Date())
  return signedCallback(account, url, parameters)
}

/** `yyMMddHHmm` in UTC, as carriers stamp a receipt. */
function receiptTime(time: Date): string {
  return time.toISOString().replace(/\D/g, '').slice(2, 12)
}
