import { expect, test } from '@jest/globals'
import { responseWithout } from './stored-responses.ts'

const erasedFrom = (response: unknown, recipient: string) => {
  const text = responseWithout(JSON.stringify(response), recipient)
  return text === undefined ? undefined : JSON.parse(text)
}

test('a response that names the person keeps ids, times and states, and loses every other text', () => {
  const optIn = {
    ...{ id: 'optin_1', phone_e164: '+15550100', source: 'web_form', reference: 'Ada, order 7', status: 'active' },
    ...{ evidence_url: 'https://shop.example/ada', recorded_at: '2026-01-01T00:00:00.000Z' },
  }
  expect(erasedFrom(optIn, '+15550100')).toEqual({
    ...{ id: 'optin_1', phone_e164: 'erased', source: 'web_form', reference: 'erased', status: 'active' },
    ...{ evidence_url: 'erased', recorded_at: '2026-01-01T00:00:00.000Z' },
  })
  const token = { token: 'eyJ', expires_at: '2026-01-01T00:00:00.000Z', user_id: 'user-7' }
  expect(erasedFrom(token, 'user-7')).toEqual({ ...token, token: 'erased', user_id: 'erased' })
})

test('a person is found under another spelling of the address, in depth, and others in the same response are unchanged', () => {
  const [ada, bob] = [
    { to: ['Ada@Shop.example'], texts: [{ name: 'Ada' }] },
    { to: ['bob@shop.example'], name: 'Bob' },
  ]
  expect(erasedFrom({ results: [ada, bob], next_cursor: 'c' }, 'ada@shop.example')).toEqual({
    results: [{ to: ['erased'], texts: [{ name: 'erased' }] }, bob],
    next_cursor: 'c',
  })
})

test('a response that does not name the person is not changed', () => {
  for (const [response, recipient] of [
    [{ user_id: 'user-77', text: 'for user-7' }, 'user-7'],
    [{ results: [{ notification_id: 'notif_1', status: 'accepted' }] }, '+15550100'],
    [null, 'null'],
  ] as const)
    expect(erasedFrom(response, recipient)).toBeUndefined()
  expect(responseWithout('', 'a')).toBeUndefined()
  expect(responseWithout('notif_1', 'notif_1')).toBeUndefined()
})
