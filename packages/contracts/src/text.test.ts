import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { EventKey, EventTime, e164Pattern, keywordOf, Timestamp, withPlus } from './text.ts'

test.each(['+15551230001', '+4915112345678', '+290123456', '+123456789012345'])('%s is an E.164 number', (text) => {
  expect(e164Pattern.test(text)).toBe(true)
})

test.each([
  '15551230001',
  '+05551230001',
  '+1 555 123 0001',
  '+1-555-123-0001',
  '+123456',
  '+1234567890123456',
  '+1555123000١',
  '++15551230001',
  '+15551230001\n',
  '',
])('%j is not an E.164 number', (text) => {
  expect(e164Pattern.test(text)).toBe(false)
})

test.each([
  [' 15551230001', '+15551230001'],
  ['+15551230001', '+15551230001'],
  ['15551230001', '15551230001'],
  [' ada', ' ada'],
  ['  15551230001', '  15551230001'],
])('the query parameter %j names the recipient %j', (parameter, recipient) => {
  expect(withPlus(parameter)).toBe(recipient)
})

test.each(['order.shipped', 'A', '9-lives', 'a_b.c-d', 'a'.repeat(128)])('%s is an event key', (text) => {
  expect(EventKey.safeParse(text).success).toBe(true)
})

test.each(['', '.order', '-order', 'order shipped', 'order|shipped', 'ordér', 'a'.repeat(129), 'order\n'])(
  '%j is not an event key',
  (text) => {
    expect(EventKey.safeParse(text).success).toBe(false)
  },
)

test('times of the API are UTC with milliseconds; times in events may be as Postgres writes them', () => {
  expect(Timestamp.safeParse(new Date().toISOString()).success).toBe(true)
  expect(Timestamp.safeParse('2026-11-21T09:30:00Z').success).toBe(false)
  expect(Timestamp.safeParse('2026-11-21T09:30:00.000+01:00').success).toBe(false)
  expect(EventTime.safeParse('2026-11-21T09:30:00.123456+00:00').success).toBe(true)
  expect(EventTime.safeParse('2026-11-21T09:30:00+01:00').success).toBe(true)
  expect(EventTime.safeParse('2026-11-21 09:30:00').success).toBe(false)
})

/** Zero-width spaces and joiners, marks of direction, fillers, selectors, tags, controls. */
const invisibleCodes = [
  0x00, 0x08, 0x7f, 0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a,
  0x202e, 0x2060, 0x2063, 0x2068, 0x2069, 0x206f, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0x1d173, 0xe0001, 0xe0020,
  0xe007f, 0xe0100,
]
const invisible = fc.string({
  unit: fc.constantFrom(...invisibleCodes.map((code) => String.fromCodePoint(code))),
  maxLength: 4,
})
const space = fc.stringMatching(/^[ \t\n\u00a0\u2003\u2028\u3000]*$/)
const ending = fc.stringMatching(/^[.!?…。！ ]*$/)
/** Other forms of a Latin letter that NFKC maps to it, by the code point of their `a`. */
const alphabets = {
  plain: 0x61,
  capital: 0x41,
  fullWidth: 0xff41,
  fullWidthCapital: 0xff21,
  bold: 0x1d41a,
  circled: 0x24d0,
}
const letter = (plain: string) =>
  fc.constantFrom(...Object.values(alphabets)).map((a) => String.fromCodePoint(a + plain.charCodeAt(0) - 0x61))

/** The keyword in a variant that people may write. */
const written = (keyword: string) =>
  fc
    .tuple(
      space,
      ...[...keyword].map((char) =>
        fc
          .tuple(invisible, char === ' ' ? space.map((more) => ` ${more}`) : letter(char), invisible)
          .map((parts) => parts.join('')),
      ),
      ending,
      invisible,
    )
    .map((parts) => parts.join(''))

test.each(['stop', 'unsubscribe', 'opt out', 'optout', 'start'])(
  'in every form of its letters, and with invisible characters around and within it, %j stays the keyword',
  (keyword) => {
    fc.assert(fc.property(written(keyword), (message) => keywordOf(message) === keyword))
  },
)

test('only a whole message is a keyword: visible characters are never removed', () => {
  const visible = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((text) => /[a-z0-9]/i.test(text))
  fc.assert(fc.property(visible, invisible, (text, hidden) => keywordOf(`stop${hidden}${text}`) !== 'stop'))
  fc.assert(fc.property(visible, invisible, (text, hidden) => keywordOf(`${text}${hidden}stop`) !== 'stop'))
})

test('a long message of combining marks takes little CPU', () => {
  const started = process.threadCpuUsage()
  for (let n = 0; n < 10; n++) expect(keywordOf('\u0301'.repeat(5000) + '\u0316'.repeat(5000))).toBe('')
  expect(process.threadCpuUsage(started).user).toBeLessThan(500_000)
})
