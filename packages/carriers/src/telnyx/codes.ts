import { createCodeTable } from '../code-table.ts'
import { accountDown, later, permanent, unknown } from '../verdict.ts'

const stopped = { ...permanent('The recipient has sent STOP'), suppress: 'stop' } as const

/**
 * Error codes of the API and of receipts.
 * @see https://developers.telnyx.com/docs/messaging/messages/error-codes
 */
export const telnyxCodes = createCodeTable({
  '10001': permanent('The number is inactive'),
  '10002': permanent('The phone number is invalid'),
  '10004': permanent('A parameter is missing'),
  '10005': permanent('The resource does not exist'),
  '10007': unknown('Unexpected error of the carrier; it may have taken the message'),
  '10009': accountDown('The API key was refused'),
  '10010': accountDown('The API key may not do this'),
  '10011': later('Too many requests'),
  '10015': permanent('The request is invalid'),
  '10016': permanent('The number is not in E.164 form'),
  '20100': accountDown('The account has no credit left'),
  '40001': permanent('The number is a landline or not routable'),
  '40002': later('Blocked as spam for now'),
  '40003': permanent('Permanently blocked as spam'),
  '40004': later('Rejected by the destination'),
  '40005': later('The message expired on its way'),
  '40006': later('The server of the recipient is not available'),
  '40007': permanent('The message runs in a loop'),
  '40008': later('The carrier of the recipient did not take the message'),
  '40009': permanent('The text is invalid'),
  '40010': permanent('The sender is not registered for A2P messages'),
  '40011': later('Too many messages for the carrier of the recipient'),
  '40012': permanent('The number of the recipient is invalid'),
  '40013': accountDown('The number of the sender is invalid'),
  '40014': later('The message expired in the queue'),
  '40015': permanent('Filtered as spam by the carrier'),
  '40016': later('The daily limit of the sender is reached'),
  '40100': accountDown('The sender may not send messages'),
  '40300': stopped,
  '40301': permanent('The type of the message is not supported between these numbers'),
  '40302': permanent('The message is too large'),
  '40305': accountDown("The 'from' address is not of this account"),
  '40306': accountDown('The alphanumeric sender is not usable here'),
  '40310': permanent("Invalid 'to' address"),
  '40311': accountDown('The secret of the messaging profile was refused'),
  '40312': accountDown('The messaging profile is disabled'),
  '40316': permanent('The message has no content'),
  '40317': permanent('The content of the MMS is invalid'),
  '40318': later('The queue of the sender is full'),
  '40320': accountDown('The sender number cannot be used yet'),
  '40322': permanent('The text is blocked'),
  '40329': accountDown('The toll-free number of the sender is not verified'),
  '40331': accountDown('The messaging profile allows no destinations'),
  '40333': accountDown('The account has reached its spending limit'),
})
