import type { DispatchRequest } from '@notify/contracts'
import { Problem } from '@notify/service-kit'

const longestReference = 255

/**
 * Requires the caller's reference of the consent. Its content is not checked.
 * @throws Problem `WHATSAPP_OPT_IN_REQUIRED`
 */
export function requireOptInReference({ recipient }: Pick<DispatchRequest, 'recipient'>): void {
  const reference = typeof recipient === 'string' ? undefined : recipient.opt_in_reference
  const isGiven = typeof reference === 'string' && reference.trim() !== '' && reference.length <= longestReference
  if (isGiven) return
  const message = `must be a text of 1 to ${longestReference} characters: your own reference of the recipient's consent`
  throw new Problem('WHATSAPP_OPT_IN_REQUIRED', `recipient.opt_in_reference ${message}`, {
    errors: [{ path: 'recipient.opt_in_reference', message }],
  })
}
