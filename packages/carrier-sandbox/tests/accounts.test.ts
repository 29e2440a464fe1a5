import { expect, test } from '@jest/globals'
import { listMessages, startSandbox } from './harness.ts'

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
const account = { api_key: 'key-of-the-test' }
const authorized = { authorization: `Bearer ${account.api_key}` }
const message = { from: '+15005550006', to: '+15551230001', text: 'Hello' }

test.each<[string, unknown]>([
  ['an unknown carrier', { carrier: 'pigeons', account }],
  ['no account', { carrier: 'telnyx' }],
  ['a field too many', { carrier: 'telnyx', account: { ...account, colour: 'blue' } }],
  ['an address that is not for the web', { carrier: 'telnyx', account: { ...account, webhook_url: 'file:///etc' } }],
  ['a name that JavaScript knows', { carrier: 'constructor', account }],
])('%s opens no account', async (_what, body) => {
  const { url } = await startSandbox()
  expect((await post(`${url}/accounts`, body)).status).toBe(422)
})

test('an account sends once it is open, shows the key that verifies its webhooks, and no other credentials send', async () => {
  const { url } = await startSandbox()
  const send = (headers: Record<string, string>, body: object = message) =>
    post(`${url}/telnyx/v2/messages`, body, headers)
  expect((await send(authorized)).status).toBe(401)
  const opened = await post(`${url}/accounts`, { carrier: 'telnyx', account })
  expect([opened.status, await opened.json()]).toEqual([
    201,
    { carrier: 'telnyx', public_key: expect.stringMatching(/^[\w+/]{43}=$/) },
  ])
  expect((await send(authorized)).status).toBe(200)
  expect((await send({ authorization: 'Bearer of-nobody' })).status).toBe(401)
  expect((await send(authorized, { ...message, to: 'Ada' })).status).toBe(422)
  const { items } = await listMessages(url)
  expect(items).toMatchObject([{ account: 'telnyx', channel: 'sms', to: message.to, text: 'Hello' }])
  expect(JSON.stringify(items)).not.toContain(account.api_key)
})

test('the log shows no credentials, in whatever header they come', async () => {
  const { url } = await startSandbox()
  const server_token = 'token-of-the-test'
  await post(`${url}/accounts`, { carrier: 'postmark', account: { server_token, webhook_password: 'password' } })
  const email = { From: 'shop@example.com', To: 'ada@example.com', Subject: 'Hi', TextBody: 'Hi' }
  const headers = { 'x-postmark-server-token': server_token, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
  expect((await post(`${url}/postmark/email`, email, headers)).status).toBe(200)
  const { items } = await listMessages(url)
  expect(items).toMatchObject([{ account: 'postmark', request: { headers: { traceparent: headers.traceparent } } }])
  expect(JSON.stringify(items)).not.toContain(server_token)
})

test('a person writes only to a carrier that has an account with a webhook and receives texts', async () => {
  const { url } = await startSandbox()
  await post(`${url}/accounts`, { carrier: 'telnyx', account })
  await post(`${url}/accounts`, { carrier: 'resend', account: { ...account, signing_secret: 'whsec_c2VjcmV0' } })
  for (const carrier of ['telnyx', 'resend', 'vonage', 'pigeons']) {
    const answer = await post(`${url}/inbound`, { channel: 'sms', from: message.to, body: 'Hi', carrier })
    expect(answer.status).toBe(409)
  }
})

test('a WhatsApp account lists its subscribed app and its numbers, with its own token only', async () => {
  const number = (phone_number_id: string, business_account_id: string) => ({
    ...{ phone_number_id, business_account_id, access_token: `token-${business_account_id}` },
    ...{ app_secret: 'secret', webhook_url: 'http://127.0.0.1:9/cloud' },
  })
  const META_NUMBERS = JSON.stringify([number('1', '10'), number('2', '10'), number('3', '20')])
  const { url } = await startSandbox({ META_NUMBERS })
  const read = async (path: string, token: string) => {
    const answer = await fetch(`${url}/meta/v23.0/${path}`, { headers: { authorization: `Bearer ${token}` } })
    return [answer.status, ((await answer.json()) as { data?: unknown[] }).data]
  }
  expect(await read('10/phone_numbers?fields=id', 'token-10')).toEqual([200, [{ id: '1' }, { id: '2' }]])
  expect(await read('20/subscribed_apps', 'token-20')).toEqual([200, [expect.anything()]])
  for (const path of ['10/phone_numbers', '10/subscribed_apps']) expect((await read(path, 'token-20'))[0]).toBe(401)
})

test('the form of each account is shown', async () => {
  const { url } = await startSandbox()
  const { items } = (await (await fetch(`${url}/accounts`)).json()) as { items: { carrier: string; account: object }[] }
  expect(items).toContainEqual({
    carrier: 'telnyx',
    account: expect.objectContaining({ required: ['api_key'], additionalProperties: false }),
  })
})
