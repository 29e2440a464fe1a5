import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createLinkSeal } from './link-seal.ts'

const key = randomBytes(32)
const { seal, open } = createLinkSeal([key], 'unsubscribe')

test('a token is opened by its own key, for its own purpose', () => {
  const token = seal('ada@shop.example ü')
  expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
  expect(Buffer.from(token, 'base64url').includes('ada@')).toBe(false)
  expect(open(token)).toBe('ada@shop.example ü')
  expect(createLinkSeal([key], 'unsubscribe').open(token)).toBe('ada@shop.example ü')
  expect(createLinkSeal([key], 'other').open(token)).toBeUndefined()
  expect(createLinkSeal([randomBytes(32)], 'unsubscribe').open(token)).toBeUndefined()
})

test('tokens of an older key are still opened when a newer key seals', () => {
  const newer = randomBytes(32)
  const both = createLinkSeal([key, newer], 'unsubscribe')
  expect(both.open(seal('made before'))).toBe('made before')
  const token = both.seal('made after')
  expect([both.open(token), open(token), createLinkSeal([newer], 'unsubscribe').open(token)]).toEqual([
    'made after',
    undefined,
    'made after',
  ])
})

test('a token that was changed, cut or made up opens nothing', () => {
  const bytes = Buffer.from(seal('content'), 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(open(changed.toString('base64url'))).toBeUndefined()
  }
  for (let length = 0; length < bytes.length; length++)
    expect(open(bytes.subarray(0, length).toString('base64url'))).toBeUndefined()
  const token = bytes.toString('base64url')
  expect(open(token)).toBe('content')
  for (const junk of [`${token}A`, `${token}=`, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`])
    expect(open(junk)).toBeUndefined()
  for (const junk of ['', '.', 'a b', '../..', 'x'.repeat(5000), 'ü', '%00']) expect(open(junk)).toBeUndefined()
})
