import { z } from 'zod'

/** The prefix of each kind of identifier. */
export const idPrefixes = [
  'notif',
  'inapp',
  'otp',
  'con',
  'ten',
  'app',
  'key',
  'evt',
  'tmpl',
  'lay',
  'prov',
  'dom',
  'optin',
  'whsub',
  'whdel',
  'att',
  'req',
  'msg',
  'sup',
  'retry',
  'aud',
  'pref',
  'list',
  'bc',
  'dig',
] as const // prettier-ignore

export type IdPrefix = (typeof idPrefixes)[number]

/** An identifier of a kind. */
export type Id<P extends IdPrefix> = `${P}_${string}`

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeLength = 10
const randomLength = 16

let lastMs = 0
let lastRandom = new Uint8Array(randomLength)

/**
 * Makes an identifier: `<prefix>_` and 26 characters of lower-case Crockford base32 in the ULID layout (48 bits of Unix
 * milliseconds, 80 random bits). Identifiers made by one process within one millisecond ascend.
 * @see https://github.com/ulid/spec
 */
export function newId<P extends IdPrefix>(prefix: P, nowMs: number = Date.now()): `${P}_${string}` {
  if (nowMs > lastMs) {
    lastMs = nowMs
    lastRandom = randomDigits()
  } else {
    increment(lastRandom)
  }
  let text = timeText(lastMs)
  for (const digit of lastRandom) text += alphabet[digit]
  return `${prefix}_${text}`
}

/** The smallest identifier of a millisecond, for range queries: identifiers sort by time. */
export function earliestId<P extends IdPrefix>(prefix: P, ms: number): `${P}_${string}` {
  return `${prefix}_${timeText(ms)}${'0'.repeat(randomLength)}`
}

/**
 * The identifier that follows from a time and other bytes, the same each time.
 * @param bytes at least 10, which differ where the identifiers must
 */
export function derivedId<P extends IdPrefix>(prefix: P, ms: number, bytes: Uint8Array): `${P}_${string}` {
  let text = timeText(ms)
  let [bits, count, at] = [0, 0, 0]
  for (let digit = 0; digit < randomLength; digit++) {
    if (count < 5) {
      bits = ((bits << 8) | bytes[at++]!) & 0xfff
      count += 8
    }
    count -= 5
    text += alphabet[(bits >> count) & 31]
  }
  return `${prefix}_${text}`
}

function timeText(ms: number): string {
  let text = ''
  let rest = ms
  for (let i = 0; i < timeLength; i++) {
    text = alphabet[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** The schema of an identifier with this prefix. */
export function idSchema<P extends IdPrefix>(prefix: P) {
  return z.templateLiteral([`${prefix}_`, z.string().regex(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/)]).meta({
    description: `Identifier of the form ${prefix}_<26 characters>`,
    example: `${prefix}_01jd3x8qk5w9t2m4v6b8n0p2r4`,
  })
}

/** Whether a text could be an identifier of a kind; its form is not validated. */
export function isId<P extends IdPrefix>(prefix: P, text: string): text is Id<P> {
  return text.startsWith(`${prefix}_`)
}

/** An identifier in a request. Its form is not validated: an unknown one is `not_found`, whatever its form. */
export function givenId<P extends IdPrefix>(_prefix: P, text: z.ZodString = z.string()): z.ZodType<Id<P>, string> {
  return text as unknown as z.ZodType<Id<P>, string>
}

const pool = new Uint8Array(randomLength * 256)
let poolAt = pool.length

function randomDigits(): Uint8Array<ArrayBuffer> {
  if (poolAt === pool.length) {
    globalThis.crypto.getRandomValues(pool)
    poolAt = 0
  }
  const digits = pool.slice(poolAt, poolAt + randomLength).map((byte) => byte & 31)
  poolAt += randomLength
  return digits
}

function increment(digits: Uint8Array): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    const digit = digits[i]!
    if (digit < 31) {
      digits[i] = digit + 1
      return
    }
    digits[i] = 0
  }
}
