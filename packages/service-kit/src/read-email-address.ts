import { domainToASCII } from 'node:url'
import { emailLimits, emailPattern } from '@notify/contracts'

/** An address as carriers take it, or what is wrong with it. */
export type ReadEmailAddress = { address: string; fault?: never } | { address?: never; fault: string }

/**
 * Reads an email address: its domain may be internationalised and is written in ASCII and lower case (RFC 5890), the part
 * before the @ must be ASCII, since Amazon SES, like many others, does not speak SMTPUTF8 (RFC 6531).
 */
export function readEmailAddress(text: string): ReadEmailAddress {
  // Check the length before the patterns scan the text.
  if (text.length > emailLimits.address) return { fault: `must have at most ${emailLimits.address} characters` }
  if (/[\s\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
    return { fault: 'must not contain spaces, line breaks or control characters' }
  const at = text.lastIndexOf('@')
  if (at < 1 || at === text.length - 1) return { fault: form }
  const local = text.slice(0, at)
  if (/[^\x21-\x7e]/.test(local)) {
    return { fault: 'must be ASCII before the @: carriers do not deliver to other letters there (no SMTPUTF8)' }
  }
  if (local.length > emailLimits.localPart)
    return { fault: `must have at most ${emailLimits.localPart} characters before the @` }
  const domain = asciiDomain(text.slice(at + 1))
  if (domain === undefined) return { fault: 'must end with a domain name such as example.com' }
  const address = `${local}@${domain}`
  if (address.length > emailLimits.address) {
    return { fault: `must have at most ${emailLimits.address} characters with its domain in ASCII` }
  }
  return emailPattern.test(address) ? { address } : { fault: form }
}

const form = 'must be one address such as ada@example.com, without name, quotes or brackets'

/** The domain in ASCII; node would also read `%41`, ports and numbers into a host. */
function asciiDomain(text: string): string | undefined {
  if (/[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u.test(text)) return undefined
  const domain = domainToASCII(text)
  return domain === '' ? undefined : domain
}
