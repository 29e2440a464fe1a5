import { createCodeTable } from '../code-table.ts'
import { accountDown, carrierFault, later, permanent, unknown } from '../verdict.ts'

/**
 * Error codes of the Messages API, of answers and of statuses.
 * @see https://developer.vonage.com/en/api-errors/messages
 * @see https://developer.vonage.com/en/api-errors
 */
export const vonageCodes = createCodeTable({
  '1000': later('Too many messages for the account'),
  '1010': permanent('A parameter is missing'),
  '1020': permanent('The value of a parameter is invalid'),
  '1021': permanent('A tag is invalid'),
  '1022': permanent('The template is invalid'),
  '1030': unknown('Internal error of the carrier; it may have taken the message'),
  '1040': permanent('The carrier cannot process the message'),
  '1050': permanent('The number is on the block list of the carrier'),
  '1060': accountDown('The account is barred'),
  '1070': accountDown('The account has no credit left'),
  '1080': accountDown('The account may not use this API'),
  '1090': permanent('The message is too long'),
  '1100': carrierFault('The carrier could not submit the message'),
  '1120': permanent('The sender is not allowed in this country'),
  '1130': permanent('The time to live is invalid'),
  '1140': accountDown('The account may not use this feature'),
  '1150': permanent('The message class is invalid'),
  '1160': permanent('The number is not in the list of allowed destinations'),
  '1170': permanent('The phone number is invalid or missing'),
  '1180': later('The recipient cannot be reached for now'),
  '1190': permanent('The recipient is no longer reachable'),
  '1200': later('The number has moved to another network'),
  '1210': permanent('Blocked as spam'),
  '1220': later('The handset was busy'),
  '1230': later('The network failed'),
  '1240': permanent('The number is illegal for this sender'),
  '1250': permanent('The number is not routable'),
  '1260': permanent('The destination cannot be reached'),
  '1270': permanent('The age of the subscriber forbids the message'),
  '1280': permanent('The carrier of the recipient blocks the number'),
  '1290': later('The recipient has no prepaid credit left'),
  '1300': permanent('The number is not part of the network'),
  '1330': later('Unknown error'),
  '1360': later('The message expired before it was delivered'),
  '1460': later('The daily limit of messages is reached'),
  '1470': permanent('Blocked by the fraud defender of the account'),
  unauthorized: accountDown('The key of the application was refused'),
  forbidden: accountDown('The account may not do this'),
  'low-balance': accountDown('The account has no credit left'),
  unprovisioned: accountDown('The account may not use this API'),
  'account-suspended': accountDown('The account is suspended'),
})

/** The code is the end of the type: `…/messages#1120`. */
export function codeOfType(type: string): string {
  return type.slice(type.lastIndexOf('#') + 1)
}
