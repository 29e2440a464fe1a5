import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { WhatsAppMessage } from '../messages.ts'
import { metaSender } from './send.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const account = {
  id: newId('prov'),
  revision: 1,
  credentials: {
    phone_number_id: '180960945997789',
    business_account_id: '129820579749403',
    access_token: 'EAAtoken1',
  },
}
const message: WhatsAppMessage = {
  to: '+11126868447',
  template: { name: 'otp_copy_code', language: 'en_US' },
  parameters: ['123456'],
  button_code: '123456',
}
const example = (name: string) => readFileSync(join(import.meta.dirname, `../../tests/meta/${name}.json`), 'utf8')

interface Seen {
  url: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

async function carrierThat(answers: { status: number; body: string; headers?: Record<string, string> } | 'nothing') {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    seen.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() })
    if (answers !== 'nothing') response.writeHead(answers.status, answers.headers).end(answers.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const send = (url: string, fields: Partial<WhatsAppMessage> = {}) => senderOf(url)(fields)

/** Sends over the connections of one sender. */
function senderOf(url: string) {
  const carrier = metaSender.createSender({
    timeoutMs: 60_000,
    maxConnections: 2,
    publicUrl: 'http://localhost',
    sandboxUrl: undefined,
    environment: { META_API_URL: url, META_API_VERSION: 'v23.0' },
  })
  ends.push(() => carrier.close())
  const correlation = {
    notificationId: newId('notif'),
    attemptId: newId('att'),
    mode: 'live',
    traceparent: undefined,
  } as const
  return (fields: Partial<WhatsAppMessage> = {}) => carrier.send(account, { ...message, ...fields, ...correlation })
}

test('a code fills the body and the button of its template, and the request carries the correlation', async () => {
  const { url, seen } = await carrierThat({ status: 200, body: example('send_response_200') })
  expect(await send(url)).toMatchObject({ outcome: 'accepted', providerMessageId: expect.stringMatching(/^wamid\./) })
  const [call] = seen
  expect(call!.url).toBe('/v23.0/180960945997789/messages')
  expect(call!.headers.authorization).toBe('Bearer EAAtoken1')
  const { biz_opaque_callback_data, to, ...body } = JSON.parse(call!.body)
  const { to: _, ...expected } = JSON.parse(example('send_template_otp_request'))
  expect(body).toEqual(expected)
  expect(to).toBe('+11126868447')
  expect(biz_opaque_callback_data).toMatch(/^notification_id=notif_\w{26}&attempt_id=att_\w{26}$/)
})

test('without a button the code is in the body alone; named parameters keep their names', async () => {
  const { url, seen } = await carrierThat({ status: 200, body: example('send_response_200') })
  const { button_code: _, ...legacy } = message
  await send(url, { ...legacy, button_code: undefined as never })
  await send(url, { parameters: { first_name: 'Ada' }, button_code: undefined as never })
  const components = seen.map(({ body }) => JSON.parse(body).template.components)
  expect(components).toEqual([
    [{ type: 'body', parameters: [{ type: 'text', text: '123456' }] }],
    [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ada' }] }],
  ])
})

test('a kept connection that ends after the request may have taken it', async () => {
  let requests = 0
  const server = createServer((request, response) => {
    if (++requests > 1) return void request.socket.resetAndDestroy()
    response.writeHead(200).end(example('send_response_200'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  const deliver = senderOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  expect(await deliver()).toMatchObject({ outcome: 'accepted' })
  expect(await deliver()).toMatchObject({ outcome: 'unknown' })
})
