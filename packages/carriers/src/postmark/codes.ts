import { createCodeTable } from '../code-table.ts'
import { accountDown, carrierFault, later, permanent } from '../verdict.ts'

/**
 * Error codes of the API.
 * @see https://postmarkapp.com/developer/api/overview#error-codes
 */
export const postmarkCodes = createCodeTable({
  '10': accountDown('The server token was refused'),
  '100': carrierFault('Postmark is in maintenance'),
  '300': permanent(),
  '400': accountDown('The sender signature does not exist'),
  '401': accountDown('The sender signature is not confirmed'),
  '402': permanent('The request is not valid JSON'),
  '403': permanent('The request has unknown fields'),
  '405': accountDown('The account has no credits left'),
  '406': permanent('Postmark has deactivated the recipient after a bounce or a complaint'),
  '409': permanent('The request is not JSON'),
  '411': permanent('The type of an attachment is forbidden'),
  '412': accountDown('The account waits for its approval, and may send to its own domain only'),
  '413': accountDown('The account may not send'),
  '429': later('Too many requests'),
  '1235': accountDown('The message stream does not exist'),
})
