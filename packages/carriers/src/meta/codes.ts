import type { Receipt } from '@notify/contracts'
import { createCodeTable } from '../code-table.ts'
import { accountDown, carrierFault, later, permanent } from '../verdict.ts'

/**
 * Error codes of the Cloud API and their verdicts. A code is more precise than the HTTP status of its response.
 * @see https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes
 */
export const metaCodes = createCodeTable(
  {
    '0': accountDown('The app user could not be authenticated'),
    '1': later('Invalid request, or a fault of the carrier'),
    '2': carrierFault('The carrier is overloaded or down'),
    '3': accountDown('The app may not do this'),
    '4': later('The app makes too many calls'),
    '10': accountDown('The app lacks a permission'),
    '33': accountDown('The number of the sender has been deleted'),
    '100': permanent('A parameter is invalid'),
    '190': accountDown('The access token has expired'),
    '368': accountDown('The account is blocked for a violation of policy'),
    '80007': later('The account makes too many calls'),
    '130403': permanent('The recipient may not be messaged by this business'),
    '130429': later('The throughput of the number is used up'),
    '130472': permanent('The recipient is part of an experiment of the carrier'),
    '130497': permanent('The account may not message this country'),
    '131000': later('Unknown error of the carrier'),
    '131008': permanent('A parameter is missing'),
    '131009': permanent('The value of a parameter is invalid'),
    '131016': carrierFault('The service is unavailable for now'),
    '131021': permanent('The recipient is the sender'),
    '131026': permanent('The recipient cannot receive WhatsApp messages'),
    '131030': permanent('The recipient is not in the list of test numbers'),
    '131031': accountDown('The account is locked'),
    '131037': accountDown('The display name of the number is not approved'),
    '131042': accountDown('The account has a problem with its payment method'),
    '131045': accountDown('The number is not registered'),
    '131047': permanent('More than 24 hours since the recipient wrote; a template is needed'),
    '131048': accountDown('The number is restricted for spam or low quality'),
    '131049': permanent('Not delivered, to keep the number of marketing messages low'),
    '131050': permanent('The recipient has stopped marketing messages'),
    '131056': { ...later('Too many messages to this recipient in a short time'), recipientOnly: true },
    '131057': accountDown('The account is in maintenance'),
    '131063': later('Marketing templates are disabled for this account'),
    '131064': accountDown('The account may send no templates for now'),
    '132000': permanent('The number of parameters does not fit the template'),
    '132001': permanent('The template does not exist in this language, or is not approved'),
    '132005': permanent('The filled template is too long'),
    '132007': permanent('The template violates a policy'),
    '132012': permanent('The format of a parameter does not fit the template'),
    '132015': later('The template is paused for low quality'),
    '132016': permanent('The template is disabled for low quality'),
    '133010': accountDown('The number of the sender is not registered'),
  },
  (code) => (/^2\d\d$/.test(code) ? accountDown('The app lacks a permission') : undefined),
)

/** Not retried automatically, but an operator may retry after a day, when Meta's limit for the recipient has passed. */
const retriedByHand = new Set(['131049'])

/** The recipient has stopped marketing messages. */
export const marketingStopped = '131050'

/** The reason of a receipt as text for people, and whether the same message may succeed later. */
export function explainCode(code: string | null, sentence?: string): Pick<Receipt, 'reason' | 'retryable'> {
  const { retryable, ...meaning } = metaCodes.explain(code, sentence)
  return { ...meaning, retryable: retryable || retriedByHand.has(code ?? '') }
}
