import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { closedPort } from '@notify/test-kit/http'
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

const send = (url: string, fields: Partial<WhatsAppMessage> = {}, timeoutMs = 2000) => senderOf(url, timeoutMs)(fields)

/** Sends over the connections of one sender. */
function senderOf(url: string, timeoutMs = 2000) {
  const carrier = metaSender.createSender({
    timeoutMs,
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

test.each<[string, number, object]>([
  ['error_130429', 400, { outcome: 'rejected_retryable', code: '130429' }],
  ['error_131056', 400, { outcome: 'rejected_retryable', code: '131056', recipientOnly: true }],
  ['error_132001', 404, { outcome: 'rejected_permanent', code: '132001' }],
  ['error_190', 401, { outcome: 'rejected_retryable', code: '190', providerDown: true }],
])('%s with status %s is %j', async (name, status, expected) => {
  const { url } = await carrierThat({ status, body: example(name), headers: { 'retry-after': '7' } })
  expect(await send(url)).toMatchObject({ ...expected, retryAfterMs: 7000 })
})

test("phone numbers are removed from the carrier's error message", async () => {
  const error = { code: 999, message: 'Recipient +1 650 555 1234 is odd' }
  const { url } = await carrierThat({ status: 400, body: JSON.stringify({ error }) })
  const { message: text, outcome } = await send(url)
  expect([outcome, text]).toEqual(['rejected_permanent', '999 Recipient [number] is odd'])
})

test.each<[string, number, string, string]>([
  ['no JSON with 502', 502, '<html>', 'rejected_retryable'],
  ['no JSON with 504', 504, '<html>', 'unknown'],
  ['a success that cannot be read', 200, '{}', 'unknown'],
  ['no JSON with 401', 401, '', 'rejected_retryable'],
])('%s is judged by the status', async (_what, status, body, outcome) => {
  const { url } = await carrierThat({ status, body })
  expect((await send(url)).outcome).toBe(outcome)
})

test('a timeout is an unknown outcome, and an unreachable carrier is a temporary refusal', async () => {
  const { url } = await carrierThat('nothing')
  expect(await send(url, {}, 200)).toMatchObject({ outcome: 'unknown', carrierFault: true })
  const nobody = `http://127.0.0.1:${await closedPort()}`
  expect(await send(nobody)).toMatchObject({ outcome: 'rejected_retryable', code: 'ECONNREFUSED', carrierFault: true })
})

test.each<[string, (socket: Socket) => unknown]>([
  ['says nothing', () => {}],
  ['ends', (socket) => socket.resetAndDestroy()],
])('a connection that %s before the end of its handshake has sent nothing: the message is retried', async (_, meet) => {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => meet(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(
    () => server.close(),
    () => {
      for (const socket of sockets) socket.destroy()
    },
  )
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await send(url, {}, 300)).toMatchObject({ outcome: 'rejected_retryable', carrierFault: true })
})

test('a reused connection that closes after the request leaves the outcome unknown', async () => {
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
