import { expect, test } from '@jest/globals'
import { readNumber } from './read-number.ts'

test.each([
  ['+15551230001', '+1', '+15551'],
  ['+491512345678', '+49', '+491512'],
  ['+79161234567', '+7', '+79161'],
  ['+35312345678', '+353', '+3531234'],
  ['+971501234567', '+971', '+9715012'],
  ['+201001234567', '+20', '+201001'],
  // Of Niue's numbers of four digits one remains, so that three are hidden.
  ['+6834567', '+683', '+6834'],
])('%s belongs to country %s and prefix %s', (phone, country, prefix) => {
  expect(readNumber(phone)).toEqual({ country, prefix })
})
