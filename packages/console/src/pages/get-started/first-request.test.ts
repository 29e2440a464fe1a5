import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { channelOf, curlOf, keyVariable } from './first-request.ts'

const origin = 'https://notify.example'

/** The arguments that the shell passes to curl. */
const argumentsOf = (command: string, env = {}) =>
  execFileSync('sh', ['-c', command.replace(/^curl/, `printf '%s\\0'`)], { encoding: 'utf8', env })
    .split('\0')
    .slice(0, -1)

test('the shell hands the request to curl as it is meant', () => {
  const args = argumentsOf(curlOf({ origin, apiKey: 'sk_test_1', channel: 'sms' }))
  expect(args.slice(0, -1)).toEqual([
    '-sS',
    `${origin}/api/v1/notifications`,
    '-H',
    'Authorization: Bearer sk_test_1',
    '-H',
    'Content-Type: application/json',
    '-d',
  ])
  expect(JSON.parse(args.at(-1)!)).toEqual({
    channel: 'sms',
    event_key: 'hello.world',
    recipient: { phone: '+14155550100' },
    data: { name: 'Ada' },
  })
})

test('a key that is not known any more is read from a variable', () => {
  const args = argumentsOf(curlOf({ origin, apiKey: keyVariable, channel: 'in_app' }), { NOTIFY_KEY: 'sk_test_2' })
  expect(args).toContain('Authorization: Bearer sk_test_2')
})

test('the channel is one that has a provider, else the inbox, which needs none', () => {
  expect([channelOf(['email', 'sms']), channelOf(['whatsapp', 'email']), channelOf([])]).toEqual([
    'sms',
    'email',
    'in_app',
  ])
})
