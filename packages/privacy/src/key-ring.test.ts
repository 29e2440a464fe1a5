import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { keyIdBytes, keyIdOf, parseKeyRing } from './key-ring.ts'

const base64Key = () => randomBytes(32).toString('base64')
const ring = parseKeyRing(`k1:${base64Key()}`)
const place = 'notifications|ten_1|notif_1'

test.each(['', 'Hello', 'Grüße, 你好 🎉', 'x'.repeat(100_000)])(
  'encrypted text is decrypted to the same text: %#',
  (text) => {
    expect(ring.decrypt(ring.encrypt(text, place), place)).toBe(text)
  },
)

test('equal texts look different when sealed', () => {
  const sealed = Array.from({ length: 50 }, () => ring.encrypt('Hello', place).toString('hex'))
  expect(new Set(sealed).size).toBe(50)
})

test('the text is not in what is sealed', () => {
  expect(ring.encrypt('+15551230001', place).includes('+15551230001')).toBe(false)
})

test.each(['notifications|ten_1|notif_2', 'notifications|ten_2|notif_1', 'providers|ten_1|notif_1', ''])(
  'text encrypted for another position (%s) is not decrypted',
  (other) => {
    expect(() => ring.decrypt(ring.encrypt('Hello', place), other)).toThrow()
  },
)

test('one flipped bit, wherever it is, makes it unreadable', () => {
  const sealed = ring.encrypt('Hello', place)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => ring.decrypt(changed, place)).toThrow()
  }
})

test('a sealed text that was cut short is not read, not even one whose tag is all that is missing', () => {
  for (const text of ['', 'Hello']) {
    const sealed = ring.encrypt(text, place)
    for (let length = 0; length < sealed.length; length++) {
      expect(() => ring.decrypt(sealed.subarray(0, length), place)).toThrow()
    }
  }
})

test('after a rotation the new key seals, and both are read', () => {
  const [old, fresh] = [`2025:${base64Key()}`, `2026:${base64Key()}`]
  const before = parseKeyRing(old).encrypt('Hello', place)
  const rotated = parseKeyRing(`${fresh}, ${old}`)
  const after = rotated.encrypt('Hello', place)
  expect(rotated.decrypt(before, place)).toBe('Hello')
  expect(rotated.decrypt(after, place)).toBe('Hello')
  expect(parseKeyRing(fresh).decrypt(after, place)).toBe('Hello')
})

test('the first bytes of what is sealed name its key, whichever ring made it', () => {
  for (const id of ['k', 'k1', '2026-a_B', 'n'.repeat(32)]) {
    const made = parseKeyRing(`${id}:${base64Key()}`)
    const sealed = made.encrypt('', place)
    expect([made.currentKeyId, keyIdOf(sealed), keyIdOf(sealed.subarray(0, keyIdBytes))]).toEqual([id, id, id])
    expect([made.holds(id), ring.holds(id)]).toEqual([true, id === 'k1'])
  }
  expect(parseKeyRing(`new:${base64Key()},old:${base64Key()}`).currentKeyId).toBe('new')
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a length without a name', Buffer.from([4])],
  ['a name that is cut short', Buffer.from('\x04k1')],
  ['no name', Buffer.alloc(40)],
  ['text', Buffer.from('{"to":"+15551230001","text":"Hello, how do you do?"}')],
  ['a name that no key can have', Buffer.from('\x04k 1!')],
])('%s was sealed with no key', (_what, bytes) => {
  expect(keyIdOf(bytes)).toBeUndefined()
})

test('a key that the ring does not hold is named as the reason', () => {
  const sealed = parseKeyRing(`gone:${base64Key()}`).encrypt('Hello', place)
  expect(() => ring.decrypt(sealed, place)).toThrow('made with a key that ENCRYPTION_KEYS does not hold')
})

test('another key of the same name does not read it', () => {
  const sealed = parseKeyRing(`k1:${base64Key()}`).encrypt('Hello', place)
  expect(() => ring.decrypt(sealed, place)).toThrow()
})

const secret = base64Key()
test.each([
  ['no key', ''],
  ['no name', secret],
  ['a name that does not fit into the ciphertext', `${'n'.repeat(33)}:${secret}`],
  ['a name with a space', `my key:${secret}`],
  ['a key of 16 bytes', `k1:${Buffer.from(secret, 'base64').subarray(0, 16).toString('base64')}`],
  ['a key of 33 bytes', `k1:${Buffer.concat([Buffer.from(secret, 'base64'), Buffer.alloc(1)]).toString('base64')}`],
  ['a comma too many', `k1:${secret},`],
  ['the same name twice', `k1:${secret},k1:${base64Key()}`],
])('a key ring with %s is refused, and the message does not show the key', (_what, text) => {
  expect(() => parseKeyRing(text)).toThrow()
  const message = messageOf(() => parseKeyRing(text))
  expect(message).toContain('<key id>:<base64 of 32 bytes>')
  expect(message).not.toContain(secret.slice(0, 8))
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
