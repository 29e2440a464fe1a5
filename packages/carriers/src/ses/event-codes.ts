import type { Receipt } from '@notify/contracts'

const texts = new Map([
  ['reject', 'The carrier refused the content'],
  ['rendering_failure', 'The carrier could not render the template'],
  ['complaint:OnAccountSuppressionList', 'The carrier did not send it: the recipient has complained before'],
])

/**
 * Explains a failure event by its code: `reject`, `rendering_failure`, `bounce:<type>:<subtype>` or `complaint:<subtype>`.
 * @param diagnostic the carrier's text, addresses masked
 */
export function explainEvent(
  code: string | null,
  diagnostic: string | undefined,
  suppress: Receipt['suppress'],
): { reason: string; retryable: boolean } {
  const text = diagnostic ?? (code === null ? undefined : texts.get(code)) ?? 'The carrier gave no reason'
  return { reason: code === null ? text : `${code} ${text}`, retryable: !suppress && isPassing(code) }
}

/** Bounces caused by the message, not the mailbox. */
const ofTheMessage = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected'])

/**
 * Whether the same message may succeed later: full mailbox, unavailable server, unknown bounce type.
 * @see https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types
 */
function isPassing(code: string | null): boolean {
  if (code === null) return true
  const [kind, type, subType = ''] = code.split(':')
  return kind === 'bounce' && type !== 'Permanent' && !ofTheMessage.has(subType)
}
