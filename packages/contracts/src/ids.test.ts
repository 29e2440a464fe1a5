import { expect, test } from '@jest/globals'
import { derivedId, type IdPrefix, idPrefixes, idSchema, newId } from './ids.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The 48-bit timestamp at the start of an id. */
function timeOf(id: string): number {
  return [...id.slice(id.indexOf('_') + 1).slice(0, 10)].reduce((ms, digit) => ms * 32 + alphabet.indexOf(digit), 0)
}

test('an id is its prefix and 26 characters of lower-case Crockford base32', () => {
  for (const prefix of idPrefixes) expect(newId(prefix)).toMatch(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
})

test('an id begins with the milliseconds of its creation, as a ULID does', () => {
  const before = Date.now()
  const ms = timeOf(newId('notif'))
  expect(ms).toBeGreaterThanOrEqual(before)
  expect(ms).toBeLessThanOrEqual(Date.now())
})

test('ids of one millisecond ascend, so that they sort by creation', () => {
  const now = Date.now() + 1000
  const ids = Array.from({ length: 5000 }, () => newId('att', now))
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(ids.map(timeOf))).toEqual(new Set([now]))
})

test('a clock that goes back does not make ids go back', () => {
  const now = Date.now() + 2000
  const [first, second] = [newId('req', now), newId('req', now - 60_000)]
  expect(second > first).toBe(true)
})

test('ids of two milliseconds share no random part', () => {
  const now = Date.now() + 3000
  const [one, two] = [newId('req', now), newId('req', now + 1)].map((id) => id.slice(-16))
  expect(one).not.toBe(two)
})

test('a derived id follows from its time and all of its first 80 bits', () => {
  const ms = Date.now()
  const bytes = Uint8Array.from({ length: 10 }, (_, at) => at * 25)
  const id = derivedId('notif', ms, bytes)
  expect(idSchema('notif').safeParse(id).success).toBe(true)
  expect([timeOf(id), derivedId('notif', ms, bytes)]).toEqual([ms, id])
  const others = Array.from({ length: 80 }, (_, bit) => {
    const other = Uint8Array.from(bytes, (byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
    return derivedId('notif', ms, other)
  })
  expect(new Set([id, ...others]).size).toBe(81)
})

test('the schema accepts every new id', () => {
  for (const prefix of idPrefixes) expect(idSchema(prefix).safeParse(newId(prefix)).success).toBe(true)
})

test.each([
  ['another prefix', newId('otp')],
  ['no prefix', newId('notif').slice('notif_'.length)],
  ['a prefix that only ends like it', `x${newId('notif')}`],
  ['a character too few', newId('notif').slice(0, -1)],
  ['a character too many', `${newId('notif')}0`],
  ['a letter that Crockford left out', `${newId('notif').slice(0, -1)}u`],
  ['upper case', newId('notif').toUpperCase().replace('NOTIF', 'notif')],
  ['more than 128 bits', 'notif_8zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['a line break at the end', `${newId('notif')}\n`],
  ['no text', ''],
])('the schema refuses %s', (_what, text) => {
  expect(idSchema('notif').safeParse(text).success).toBe(false)
})

test('no prefix is the beginning of another with its separator, so an id tells its kind', () => {
  const kindsOf = (id: string) => idPrefixes.filter((prefix: IdPrefix) => idSchema(prefix).safeParse(id).success)
  for (const prefix of idPrefixes) expect(kindsOf(newId(prefix))).toEqual([prefix])
})
