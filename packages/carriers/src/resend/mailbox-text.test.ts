import { expect, test } from '@jest/globals'
import { recipientText, senderText } from './mailbox-text.ts'

test.each([
  [undefined, 'shop@example.com'],
  [' ', 'shop@example.com'],
  ['Shop', 'Shop <shop@example.com>'],
  ['Shop Inc. 24', 'Shop Inc. 24 <shop@example.com>'],
  ['Łukasz’s Café 🚲', 'Łukasz’s Café 🚲 <shop@example.com>'],
  ['Shop, Inc', '"Shop, Inc" <shop@example.com>'],
  ['Łukasz "the shop" <x@example.com>', '"Łukasz \\"the shop\\" <x@example.com>" <shop@example.com>'],
  ['Shop\r\nBcc: x@example.com', '"Shop Bcc: x@example.com" <shop@example.com>'],
])('the sender name %j is Unicode, quoted only where it must be: %s', (name, text) => {
  expect(senderText('shop@example.com', name)).toBe(text)
})

const word = (name: string) => `=?UTF-8?B?${Buffer.from(name).toString('base64')}?=`

test.each([
  [undefined, 'ada@example.com'],
  ['', 'ada@example.com'],
  ['Ada Lovelace', 'Ada Lovelace <ada@example.com>'],
  ["Ada O'Hara-Smith", "Ada O'Hara-Smith <ada@example.com>"],
  ...['Lovelace, Ada', 'J. Smith', 'Ada "the Countess"', 'Łukasz', word('Ada')].map((name) => [
    name,
    `${word(name)} <ada@example.com>`,
  ]),
])('the recipient name %j is never quoted: %s', (name, text) => {
  expect(recipientText('ada@example.com', name)).toBe(text)
})
