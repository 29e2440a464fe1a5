import { createCodeTable } from '../code-table.ts'
import { accountDown, later, permanent, unknown, type Verdict } from '../verdict.ts'

/**
 * Failure codes of messages, and names of the errors of the API.
 * @see https://docs.bird.com/api/channels-api/message-status-and-interactions/message-failure-codes
 */
export const birdCodes = createCodeTable(
  {
    '11001': permanent('The channel does not support the request'),
    '11002': permanent('The message is invalid'),
    '12001': unknown('Internal error of the carrier; it may have taken the message'),
    '12002': permanent('The channel does not support this type of message'),
    '12003': permanent('The sender may not write to this destination'),
    '15005': permanent('Unknown subscriber'),
    Unauthorized: accountDown('The access key was refused'),
    Forbidden: accountDown('The access key may not send through this channel'),
    InvalidPayload: permanent(),
  },
  verdictOfRange,
)

/** 11: invalid. 12: service. 14: customer, such as a balance that is used up. 15: platform. */
function verdictOfRange(code: string): Verdict | undefined {
  if (/^11\d{3}$/.test(code)) return permanent()
  return /^1[245]\d{3}$/.test(code) ? later() : undefined
}
