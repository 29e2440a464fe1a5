const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** 16 bytes in base64url; an erased entry has another text. */
const indexPattern = /^[A-Za-z0-9_-]{22}$/

/**
 * Four characters that tell recipients of one mask apart: the first 20 bits of the blind index. They reveal nothing, because a
 * guess cannot be verified without the key of the tenant, and about a million recipients are needed for each tag to occur once.
 * @returns null for a recipient that was erased
 */
export function recipientTag(index: string): string | null {
  if (!indexPattern.test(index)) return null
  const bits = Buffer.from(index, 'base64url').readUIntBE(0, 3) >> 4
  return [15, 10, 5, 0].map((shift) => alphabet[(bits >> shift) & 31]).join('')
}
