import { expect, test } from '@jest/globals'
import { countryPrefixOf } from './country-prefix.ts'

test.each([
  ['+15551230001', '+1'],
  ['+18765550001', '+1876'],
  ['+491512345678', '+49'],
  ['+79161234567', '+7'],
  ['+77012345678', '+77'],
  ['+35312345678', '+353'],
  ['+971501234567', '+971'],
])('%s is of the country %s', (phone, prefix) => {
  expect(countryPrefixOf(phone)).toBe(prefix)
})
