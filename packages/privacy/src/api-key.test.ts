import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { mintApiKey, parseApiKey } from './api-key.ts'

const keyId = 'key_01jd3x8qk5w9t2m4v6b8n0p2r4'
const { apiKey, sha256 } = mintApiKey('live', keyId)

test('a key tells its mode and its public name, and is known by its hash', () => {
  expect(parseApiKey(apiKey)).toEqual({ mode: 'live', keyId, sha256 })
  expect(sha256).toBe(createHash('sha256').update(apiKey).digest('hex'))
  expect(parseApiKey(mintApiKey('test', keyId).apiKey)?.mode).toBe('test')
})

test('a key of a cell names it, and one without stays as it is', () => {
  const ofCell = mintApiKey('live', keyId, 'eu1')
  expect(ofCell.apiKey).toMatch(/^sk_live_eu1_01jd3x8qk5w9t2m4v6b8n0p2r4/)
  expect(parseApiKey(ofCell.apiKey)).toEqual({ mode: 'live', cell: 'eu1', keyId, sha256: ofCell.sha256 })
  expect(parseApiKey(ofCell.apiKey.replace('_eu1_', '_us1_'))).toBeUndefined()
  expect(parseApiKey(apiKey)).not.toHaveProperty('cell')
})

test('two keys of one name differ: the secret is random', () => {
  const keys = Array.from({ length: 100 }, () => mintApiKey('live', keyId).apiKey)
  expect(new Set(keys).size).toBe(100)
})

test('every single-character typing error is refused without a look-up', () => {
  const typos = [...apiKey].flatMap((right, at) =>
    [...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-. ']
      .filter((wrong) => wrong !== right)
      .map((wrong) => apiKey.slice(0, at) + wrong + apiKey.slice(at + 1)),
  )
  expect(typos.length).toBeGreaterThan(5000)
  expect(typos.filter((typo) => parseApiKey(typo) !== undefined)).toEqual([])
})

test('two neighbours that changed places are refused', () => {
  const swapped = [...apiKey].map((_, at) => apiKey.slice(0, at) + apiKey[at + 1] + apiKey[at] + apiKey.slice(at + 2))
  const changed = swapped.slice(0, -1).filter((text) => text !== apiKey)
  expect(changed.length).toBeGreaterThan(50)
  expect(changed.filter((text) => parseApiKey(text) !== undefined)).toEqual([])
})

test('a live key does not become a test key by its name', () => {
  expect(parseApiKey(apiKey.replace('sk_live_', 'sk_test_'))).toBeUndefined()
})

test.each([
  ['nothing', ''],
  ['the prefix alone', 'sk_live_'],
  ['a key without its end', apiKey.slice(0, -1)],
  ['a key with something behind it', `${apiKey}0`],
  ['a key with a line break', `${apiKey}\n`],
  ['a key in quotes', `"${apiKey}"`],
  ['a key in upper case', apiKey.toUpperCase()],
])('%s is not a key', (_what, text) => {
  expect(parseApiKey(text)).toBeUndefined()
})
