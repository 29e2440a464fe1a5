import { expect, test } from '@jest/globals'
import { measureJson } from './measure-json.ts'

const measure = (text: string) => measureJson(Buffer.from(text))

test.each<[string, number, number]>([
  ['7', 0, 1],
  ['{"a":1,"b":[1,2]}', 2, 5],
  ['[[[]],[]]', 3, 6],
  ['"[[,,{{"', 0, 1],
  ['["a\\",[[", "\\\\", [",", "ü\\\\\\",["]]', 2, 6],
])('%s is %i levels deep and has about %i values', (text, depth, values) => {
  expect(measure(text)).toEqual({ depth, values })
})

test('a string without an end ends the count', () => {
  expect(measure('["a\\"')).toEqual({ depth: 1, values: 2 })
})
