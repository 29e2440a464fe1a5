import { expect, test } from '@jest/globals'
import addressparser from 'nodemailer/lib/addressparser'
import { formatMailbox } from './format-mailbox.ts'

const to = 'ada@example.com'

/** The name as a receiver decodes it (RFC 2047). */
const decoded = (mailbox: string) =>
  mailbox
    .replace(/ <[^<>]*>$/, '')
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_, base64: string) => Buffer.from(base64, 'base64').toString('utf8'))

test.each([
  [undefined, to],
  ['', to],
  ['   ', to],
  ['Ada', `"Ada" <${to}>`],
  ['Lovelace, Ada', `"Lovelace, Ada" <${to}>`],
  ['Ada "the Countess" \\o/', `"Ada \\"the Countess\\" \\\\o/" <${to}>`],
  ['Ada <all@example.com>', `"Ada <all@example.com>" <${to}>`],
  ['x>, all@example.com, <y', `"x>, all@example.com, <y" <${to}>`],
])('the name %j is written as %s', (name, mailbox) => {
  expect(formatMailbox(to, name)).toBe(mailbox)
})

test.each(['Łukasz', 'Ada 🚲', 'أحمد', '山田太郎', 'é" <all@example.com>, "', 'Ö'.repeat(150), '🚲'.repeat(90)])(
  'a receiver decodes the name %s unchanged',
  (name) => {
    const mailbox = formatMailbox(to, name)
    expect(mailbox).toMatch(/^[\x20-\x7e]+$/)
    expect(decoded(mailbox)).toBe(name)
    for (const word of mailbox.split(' ').slice(0, -1)) expect(word.length).toBeLessThanOrEqual(75)
  },
)

test.each(['a\r\nBcc: all@example.com', 'a\nb', 'a\0b', 'a\u0085b', 'a\u2028b', 'é\r\nBcc: all@example.com'])(
  'a name with a control character (%j) stays one header and one address',
  (name) => {
    const mailbox = formatMailbox(to, name)
    expect(mailbox).toMatch(/^[\x20-\x7e]+$/)
    expect(addressparser(mailbox)).toEqual([expect.objectContaining({ address: to })])
  },
)
