import { createHash } from 'node:crypto'

/** The start of Meta's ids, in base64: two bytes, the length of the recipient's number, the number, 0x15. */
const numbered = /^(\x1c\x18.)(\d{5,15}|x{5,15})(?=\x15)/s
/** Seven digits in a row may be a phone number. */
const maybeNumber = /\d{7}/

/**
 * Masks the phone number in an id of Meta, because ids are stored, published and logged. The same id gives the same result;
 * different messages stay different by the part after the number. An id of another form that may contain a number is hashed.
 */
export function withoutNumber(id: string): string {
  const [, encoded] = /^wamid\.([\w+/-]+=*)$/.exec(id) ?? []
  if (encoded === undefined) return maybeNumber.test(id) ? hashOf(id) : id
  const bytes = Buffer.from(encoded, 'base64').toString('latin1')
  if (numbered.test(bytes)) {
    const masked = bytes.replace(numbered, (_all, start: string, number: string) => start + 'x'.repeat(number.length))
    return `wamid.${Buffer.from(masked, 'latin1').toString('base64')}`
  }
  return maybeNumber.test(bytes) || maybeNumber.test(id) ? hashOf(id) : id
}

const hashOf = (id: string) => `wamid.sha256-${createHash('sha256').update(id).digest('base64url')}`
