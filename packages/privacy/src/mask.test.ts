import { expect, test } from '@jest/globals'
import { maskEmail, maskPhone } from './mask.ts'

test.each([
  ['+15551230001', '+15*****0001'],
  ['+491511234567', '+49******4567'],
  ['+123456789012345', '+12*********2345'],
  ['+1234567', '+12***67'],
  ['+123456789', '+12*****89'],
])('%s is shown as %s', (phone, masked) => {
  expect(maskPhone(phone)).toBe(masked)
})

test('at least three digits of every number are hidden', () => {
  for (let digits = 7; digits <= 15; digits++) {
    const masked = maskPhone(`+${'123456789012345'.slice(0, digits)}`)
    expect([...masked].filter((character) => character === '*').length).toBeGreaterThanOrEqual(3)
  }
})

test.each([
  ['ada@example.com', 'a***@example.com'],
  ['a@example.com', 'a***@example.com'],
  ['ada.lovelace+tag@mail.example.com', 'a***@mail.example.com'],
  ['"odd@local"@example.com', '"***@example.com'],
  ['🎉party@example.com', '🎉***@example.com'],
  ['nobody', 'n***'],
])('%s is shown as %s', (address, masked) => {
  expect(maskEmail(address)).toBe(masked)
})
