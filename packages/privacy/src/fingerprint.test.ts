import { randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { canonicalJson, createFingerprint } from './fingerprint.ts'

const key = randomBytes(32)
const fingerprint = createFingerprint(key)

test.each<[string, string, string]>([
  ['the order of keys', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
  ['white space', '{"a":[1,2]}', ' { "a" : [ 1 , 2 ] } '],
  ['how a number is written', '{"a":100}', '{"a":1e2}'],
  ['how a character is written', '{"a":"é"}', '{"a":"\\u00e9"}'],
])('%s does not matter', (_what, one, two) => {
  expect(fingerprint(JSON.parse(one))).toBe(fingerprint(JSON.parse(two)))
})

test.each<[string, string, string]>([
  ['a number and its text', '{"a":1}', '{"a":"1"}'],
  ['true and its text', '{"a":true}', '{"a":"true"}'],
  ['null and nothing', '{"a":null}', '{}'],
  ['null and its text', '{"a":null}', '{"a":"null"}'],
  ['a list and its only item', '{"a":[1]}', '{"a":1}'],
  ['the order of a list', '[1,2]', '[2,1]'],
  ['an empty list and an empty object', '{"a":[]}', '{"a":{}}'],
  ['a list and an object with its indexes', '["a"]', '{"0":"a"}'],
  ['two texts and one', '["a","b"]', '["a,b"]'],
  ['a text with a quote and two keys', '{"a":"1\\",\\"b\\":\\"2"}', '{"a":"1","b":"2"}'],
  ['a key called __proto__', '{"__proto__":{"a":1}}', '{}'],
  ['the nesting', '{"a":{"b":1}}', '{"a":{},"b":1}'],
  ['composed and decomposed letters', '{"a":"\\u00e9"}', '{"a":"e\\u0301"}'],
])('%s are two values', (_what, one, two) => {
  expect(fingerprint(JSON.parse(one))).not.toBe(fingerprint(JSON.parse(two)))
})

test('keys are sorted by UTF-16 code units, as RFC 8785 has it', () => {
  // The example of RFC 8785, section 3.2.3.
  const value = JSON.parse('{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"\\ud83d\\ude00":5,"\\u0080":6,"\\u00f6":7}')
  expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
})

test('without the key nobody can compute it', () => {
  expect(fingerprint({ code: '123456' })).not.toBe(createFingerprint(randomBytes(32))({ code: '123456' }))
  expect(createFingerprint(key)({ code: '123456' })).toBe(fingerprint({ code: '123456' }))
})

test('a field that is not there and one without a value are the same', () => {
  expect(fingerprint({ a: 1, b: undefined })).toBe(fingerprint({ a: 1 }))
})
