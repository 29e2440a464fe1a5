import { expect, test } from '@jest/globals'
import { describeCode, isPermanentCode } from './twilio-codes.ts'

test.each(['21211', '21610', '30004', '30005', '30006', '30007', '20003'])('%s would be refused again', (code) => {
  expect(isPermanentCode(code)).toBe(true)
})

test.each(['30003', '20429', '30001', '30008', '21611'])('%s may go better next time', (code) => {
  expect(isPermanentCode(code)).toBe(false)
})

test.each([null, '99999', '', 'http_500', 'constructor', '__proto__', 'toString'])(
  'what the list does not hold (%s) is not final, and needs no text',
  (code) => {
    expect(isPermanentCode(code)).toBe(false)
    expect(describeCode(code)).toBe(code === null ? 'The carrier gave no reason' : `${code} The carrier gave no reason`)
  },
)

test('a reason for people is the code and what it means', () => {
  expect(describeCode('30003')).toBe('30003 Unreachable destination handset')
  expect(describeCode('99999', 'Strange weather')).toBe('99999 Strange weather')
  expect(describeCode(null, 'Strange weather')).toBe('Strange weather')
})
