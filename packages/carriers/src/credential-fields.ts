import { EmailAddress, oneLinePattern } from '@notify/contracts'
import { z } from 'zod'

/** A secret that travels in a header. */
export const headerText = z.string().regex(/^[\x21-\x7e]{8,1024}$/, 'must be 8 to 1024 visible ASCII characters')

/**
 * The secret or public key that proves callbacks; two while one replaces the other. Without it, callbacks are refused.
 * @param of what it is part of, and what else it says
 */
export function callbackSecret(title: string, of: string) {
  const description = `${of}. Without it no receipts count. Two while one replaces the other, comma separated.`
  return z
    .string()
    .regex(
      /^[\x21-\x2b\x2d-\x7e]{16,200}(?:, ?[\x21-\x2b\x2d-\x7e]{16,200})?$/,
      'must be 16 to 200 visible ASCII characters',
    )
    .optional()
    .meta({ title, description })
}

/** The name of a sender in the From line. */
const SenderName = z.string().min(1).max(200).regex(oneLinePattern, 'must be one line without control characters')

/** The sender of emails that name none. @param description what the carrier demands of the address */
export const emailSender = (description?: string) => ({
  from: EmailAddress.meta({ title: 'Sender address', ...(description && { description }) }),
  from_name: SenderName.optional().meta({ title: 'Sender name' }),
})
