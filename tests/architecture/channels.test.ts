import { expect, test } from '@jest/globals'
import { Channel } from '@notify/contracts'
import { readText, sourcesOf } from './sources.ts'

const names = Channel.options.join('|')

/** Code that branches on a channel's name or on the shape of its payload. */
const decisions = [
  /\bswitch \((?:\w+\.)*channel\)/,
  new RegExp(`\\bcase '(?:${names})'`),
  new RegExp(`[!=]== '(?:${names})'`),
  /'\w+' in (?:payload|message|content)\b/,
]
const decides = (text: string) => decisions.some((pattern) => pattern.test(text))

test.each([
  'switch (request.channel) {',
  "case 'sms':",
  "if (channel === 'email') return",
  "channel !== 'in_app'",
  "'subject' in message",
])('%s is found', (text) => {
  expect(decides(text)).toBe(true)
})

test('dispatch knows what is particular to a channel in the folder of that channel alone', () => {
  const files = sourcesOf('services/dispatch').filter((path) => !path.includes('/src/channels/'))
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((path) => decides(readText(path)))).toEqual([])
})
