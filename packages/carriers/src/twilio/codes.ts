import { createCodeTable } from '../code-table.ts'
import { accountDown, carrierFault, later, permanent, type Verdict } from '../verdict.ts'
import { longestText } from './limits.ts'

/**
 * Twilio's error codes for sending, and their meaning for the message.
 * @see https://www.twilio.com/docs/api/errors
 */
export const twilioCodes = createCodeTable({
  '20003': accountDown('The account credentials were refused'),
  '20005': accountDown('The account is not active'),
  '20404': accountDown('The account does not exist'),
  '20429': later('Too many requests'),
  '21211': permanent("Invalid 'To' phone number"),
  '21212': accountDown("Invalid 'From' number"),
  '21408': permanent("SMS to the 'To' number's region is not enabled"),
  '21602': permanent('The message body is missing'),
  '21603': permanent('The sender is missing'),
  '21604': permanent("The 'To' phone number is missing"),
  '21606': permanent("The 'From' number cannot send messages to this destination"),
  '21610': { ...permanent('The recipient has unsubscribed'), suppress: 'stop' },
  '21611': later("The 'From' number has too many queued messages"),
  '21612': permanent("The 'To' number is not reachable by SMS"),
  '21614': permanent("The 'To' number is not a mobile number"),
  '21617': permanent(`The message is longer than ${longestText} characters`),
  '21659': accountDown("The 'From' number is not a Twilio number"),
  '21660': accountDown("The 'From' number is not of this account"),
  '21701': accountDown('The messaging service does not exist'),
  '21703': later('The messaging service has no number for this message'),
  '21704': accountDown('The messaging service has no numbers'),
  '21705': accountDown('The messaging service is invalid'),
  '30001': later('Queue overflow'),
  '30002': accountDown('The account is suspended'),
  '30003': later('Unreachable destination handset'),
  '30004': permanent('Message blocked'),
  '30005': permanent('Unknown destination handset'),
  '30006': permanent('Landline or unreachable carrier'),
  '30007': permanent('Message filtered'),
  '30008': later('Unknown error'),
  '30034': permanent('The sender is not registered for A2P messages'),
})

/** The verdict on a failed call. A server error is one, whatever its code. */
export function judgeTwilioError(status: number, code: string): Verdict {
  const known = twilioCodes.judge(status, code)
  return status >= 500 && known.outcome === 'rejected_retryable' ? { ...carrierFault(known.text), ...known } : known
}
