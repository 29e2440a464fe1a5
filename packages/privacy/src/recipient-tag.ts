const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const indexBytes = 16

/**
 * Four characters that tell recipients of one mask apart: the first 20 bits of the blind index. They reveal nothing, because a
 * guess cannot be verified without the key of the tenant, and about a million recipients are needed for each tag to occur once.
 * @returns null for a recipient that was erased
 */
export function recipientTag(index: string): string | null {
  const bytes = Buffer.from(index, 'base64url')
  if (bytes.length < indexBytes) return null
  const bits = bytes.readUIntBE(0, 3) >> 4
  return [15, 10, 5, 0].map((shift) => alphabet[(bits >> shift) & 31]).join('')
}
