import { expect, test } from '@jest/globals'
import { createCodeNames } from './count-failures.ts'

test('the first hundred codes of a provider in an hour keep their names, further ones are counted together', () => {
  const nameOf = createCodeNames()
  const codes = Array.from({ length: 150 }, (_, n) => `code-${n}`)
  const named = codes.map((code) => nameOf('12', 'prov_a', code))
  expect(named.slice(0, 100)).toEqual(codes.slice(0, 100))
  expect(new Set(named.slice(100))).toEqual(new Set(['other']))
  expect(nameOf('12', 'prov_a', 'code-7')).toBe('code-7')
  expect(nameOf('12', 'prov_b', 'code-149')).toBe('code-149')
  expect(nameOf('13', 'prov_a', 'code-149')).toBe('code-149')
})
