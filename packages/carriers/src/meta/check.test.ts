import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { checkAccount } from './check.ts'

const credentials = {
  phone_number_id: '180960945997789',
  business_account_id: '129820579749403',
  access_token: 'EAAtoken1',
}

interface Answer {
  status?: number
  body: unknown
}
const subscribed: Answer = { body: { data: [{ whatsapp_business_api_data: { id: '1', name: 'Shop' } }] } }
const listed: Answer = { body: { data: [{ id: '1' }, { id: credentials.phone_number_id }] } }
const refused: Answer = { status: 403, body: { error: { code: 200, message: 'The app lacks a permission' } } }
const passed = { ok: true, code: null, details: { verified_name: 'Shop' } }

/** Checks the account at a Meta that answers this about its apps and numbers, or closes the connection. */
async function checkWith({ apps, numbers }: { apps: Answer | 'nothing'; numbers: Answer | 'nothing' }) {
  const answers = new Map<string, Answer | 'nothing'>([
    [`/v23.0/${credentials.phone_number_id}`, { body: { verified_name: 'Shop' } }],
    [`/v23.0/${credentials.business_account_id}/subscribed_apps`, apps],
    [`/v23.0/${credentials.business_account_id}/phone_numbers`, numbers],
  ])
  const server = createServer((request, response) => {
    const answer = answers.get(request.url!.split('?')[0]!)
    if (answer === 'nothing') return void request.socket.destroy()
    response.writeHead(answer?.status ?? 200).end(JSON.stringify(answer?.body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const environment = { META_API_URL: `http://127.0.0.1:${port}`, META_API_VERSION: 'v23.0' }
  try {
    return await checkAccount(credentials, { timeoutMs: 60_000, environment })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('a number passes if its business account lists it and has a subscribed app', async () => {
  expect(await checkWith({ apps: subscribed, numbers: listed })).toMatchObject(passed)
})

test('a business account without a subscribed app fails, and the message says how to subscribe one', async () => {
  expect(await checkWith({ apps: { body: { data: [] } }, numbers: listed })).toMatchObject({
    ok: false,
    code: 'no_subscribed_app',
    message: expect.stringContaining('POST /{business_account_id}/subscribed_apps'),
  })
})

test('a business account that does not have the number fails', async () => {
  expect(await checkWith({ apps: subscribed, numbers: { body: { data: [{ id: '1' }] } } })).toMatchObject({
    ok: false,
    code: 'other_business_account',
    message: expect.stringContaining('business_account_id'),
  })
})

test.each<[string, { apps: Answer | 'nothing'; numbers: Answer | 'nothing' }]>([
  ['refuses to say more', { apps: refused, numbers: refused }],
  ['does not answer', { apps: 'nothing', numbers: 'nothing' }],
  ['answers something else', { apps: { body: 'apps' }, numbers: { body: { data: ['1'] } } }],
  [
    'has more numbers than a page',
    { apps: subscribed, numbers: { body: { data: [{ id: '1' }], paging: { next: 'https://graph.example/next' } } } },
  ],
])('a number passes if Meta %s', async (_what, answers) => {
  expect(await checkWith(answers)).toMatchObject(passed)
})
