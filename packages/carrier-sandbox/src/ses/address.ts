import { addressParser } from 'postal-mime'
import { errors, type SesError } from './errors.ts'

const longestAddress = 320

/**
 * The bare address of a mailbox (`Ada <ada@example.com>`). SES accepts ASCII only; a name in other letters must be an
 * encoded word.
 */
export function readAddress(mailbox: string): { address: string } | { error: SesError } {
  if (/[\r\n\0]/.test(mailbox)) return { error: errors.badRequest('Address contains control characters.') }
  const parsed = addressParser(mailbox, { flatten: true })
  const address = parsed.length === 1 ? (parsed[0]?.address ?? '') : ''
  const [localPart = '', domain = '', ...rest] = address.split('@')
  if (address.length > longestAddress)
    return { error: errors.badRequest('Address length is more than 320 characters long.') }
  if (domain === '' || rest.length > 0) return { error: errors.badRequest("Missing final '@domain'") }
  if (!/^[\x21-\x7e]{1,64}$/.test(localPart)) {
    return { error: errors.badRequest('Local address contains control or whitespace') }
  }
  if (!/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(domain)) {
    return { error: errors.badRequest('Domain contains illegal character') }
  }
  return { address }
}
