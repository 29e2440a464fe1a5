import type { Receipt } from '@notify/contracts'
import { describeCode, isPermanentCode } from '../carriers/twilio-codes.ts'

/** Why a message did not arrive, for people, and whether an operator may try again. */
export interface Failure {
  code: string | null
  reason: string
  retryable: boolean
}

/** What a receipt of failure says, by the codes of its carrier; `undefined` for any other receipt. */
export function explainFailure(receipt: Receipt): Failure | undefined {
  const { channel, status, error_code: code, suppress } = receipt
  if (status !== 'failed' && status !== 'undelivered') return undefined
  if (channel === 'email') return { code, reason: emailReason(receipt), retryable: !suppress && isPassing(code) }
  return { code, reason: describeCode(code, receipt.error_message), retryable: !suppress && !isPermanentCode(code) }
}

const emailTexts = new Map([
  ['reject', 'The carrier refused the content'],
  ['rendering_failure', 'The carrier could not render the template'],
])

function emailReason({ error_code: code, error_message: said }: Receipt): string {
  const text = said ?? (code === null ? undefined : emailTexts.get(code)) ?? 'The carrier gave no reason'
  return code === null ? text : `${code} ${text}`
}

/** Bounces of a message that the same mailbox would refuse again, though it takes others. */
const ofTheMessage = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected'])

/**
 * Whether the same message may get through later: a full mailbox, a server that was away, a bounce that nobody understood.
 * @see https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
 */
function isPassing(code: string | null): boolean {
  if (code === null) return true
  const [kind, type, subType = ''] = code.split(':')
  return kind === 'bounce' && type !== 'Permanent' && !ofTheMessage.has(subType)
}
