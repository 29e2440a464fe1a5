import { expect, test } from '@jest/globals'
import { withUnsubscribe } from './unsubscribe-headers.ts'

const email = { channel: 'email' as const, to: 'ada@example.com', subject: 'Hi', text: 'Hi' }
const url = 'https://notify.example.com/u/link'

test('an email gets the headers of the one-click link', () => {
  expect(withUnsubscribe({ ...email, headers: { 'X-Order': 'A-1' } }, url).headers).toEqual({
    'X-Order': 'A-1',
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

test.each(['cc', 'bcc'])('an email with %s does not get them, and keeps its own', (field) => {
  const copied = { ...email, [field]: [{ address: 'grace@example.com' }] }
  expect(withUnsubscribe(copied, url)).toEqual(copied)
  const own = { ...copied, headers: { 'List-Unsubscribe': '<mailto:leave@example.com>' } }
  expect(withUnsubscribe(own, url)).toEqual(own)
})
