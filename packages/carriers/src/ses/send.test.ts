import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { types } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { closedPort } from '@notify/test-kit/http'
import type { Correlation, EmailMessage } from '../messages.ts'
import type { CarrierAccount, Sender } from '../sender.ts'
import type { SesCredentials } from './credentials.ts'
import { createSesSender } from './send.ts'

interface Received {
  path: string | undefined
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into what the SDK wrote
  body: any
}

const received: Received[] = []
let answer: (response: ServerResponse) => void
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  received.push({ path: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
  answer(response)
})
const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const takes = json(200, { MessageId: '0102018f-1' })

let carrier: Sender<SesCredentials, EmailMessage>
let options: Parameters<typeof createSesSender>[0]
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  options = {
    timeoutMs: 5000,
    maxConnections: 6,
    publicUrl: 'https://api.example.com',
    sandboxUrl: `${url}/sandbox`,
    environment: { SES_API_URL: `${url}/live` },
  }
  carrier = createSesSender(options)
})
afterAll(() => {
  carrier.close()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  received.length = 0
  answer = takes
})

const account: CarrierAccount<SesCredentials> = {
  id: newId('prov'),
  revision: 1,
  credentials: {
    region: 'eu-west-1',
    access_key_id: 'AKIA0123456789ABCDEF',
    secret_access_key: 'secret/'.repeat(5),
    from: 'orders@example.com',
    from_name: 'Łukasz’s shop',
  },
}
const message: EmailMessage & Correlation = {
  to: 'ada@example.com',
  to_name: 'Lovelace, Ada',
  subject: 'Your order — shipped',
  text: 'Hi',
  html: '<p>Hi</p>',
  notificationId: newId('notif'),
  attemptId: newId('att'),
  mode: 'live',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
}

test('the whole message goes out signed, with sender, names, tags for correlation and the trace', async () => {
  const configured = { ...account, credentials: { ...account.credentials, configuration_set: 'events' } }
  expect(await carrier.send({ ...configured, id: newId('prov') }, message)).toEqual({
    outcome: 'accepted',
    code: null,
    message: null,
    providerMessageId: '0102018f-1',
    retryAfterMs: null,
  })
  const [{ path, headers, body }] = received as [Received]
  expect(path).toBe('/live/v2/email/outbound-emails')
  expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIA0123456789ABCDEF\/\d{8}\/eu-west-1\/ses\//)
  expect(headers.traceparent).toBe(message.traceparent)
  expect(body).toEqual({
    FromEmailAddress: expect.stringMatching(/^=\?UTF-8\?B\?[\w+/=]+\?= <orders@example\.com>$/),
    Destination: { ToAddresses: ['"Lovelace, Ada" <ada@example.com>'] },
    Content: {
      Simple: {
        Subject: { Data: 'Your order — shipped', Charset: 'UTF-8' },
        Body: { Text: { Data: 'Hi', Charset: 'UTF-8' }, Html: { Data: '<p>Hi</p>', Charset: 'UTF-8' } },
      },
    },
    EmailTags: [
      { Name: 'notification_id', Value: message.notificationId },
      { Name: 'attempt_id', Value: message.attemptId },
      { Name: 'provider_id', Value: expect.stringMatching(/^prov_/) },
      { Name: 'traceparent', Value: message.traceparent },
    ],
    ConfigurationSetName: 'events',
  })
  for (const { Value } of body.EmailTags) expect(Value).toMatch(/^[a-z0-9_-]+$/)
})

test("a message's own sender overrides the account's, and absent fields are left out", async () => {
  const { to_name: _, html: __, ...bare } = message
  await carrier.send(account, { ...bare, from: 'news@shop.example', from_name: 'News' })
  const [{ body }] = received as [Received]
  expect(body.FromEmailAddress).toBe('"News" <news@shop.example>')
  expect(body.Destination.ToAddresses).toEqual(['ada@example.com'])
  expect(Object.keys(body.Content.Simple.Body)).toEqual(['Text'])
  expect(body.ConfigurationSetName).toBeUndefined()
})

test('a message of a test key goes only to the sandbox', async () => {
  await carrier.send(account, { ...message, mode: 'test' })
  expect(received.map(({ path }) => path)).toEqual(['/sandbox/ses/v2/email/outbound-emails'])
})

test('new credentials replace the old ones at once', async () => {
  await carrier.send(account, message)
  const credentials = { ...account.credentials, access_key_id: 'AKIANEWNEWNEWNEWNEWN' }
  await carrier.send({ ...account, revision: 2, credentials }, message)
  const keys = received.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1])
  expect(keys).toEqual(['AKIA0123456789ABCDEF', 'AKIANEWNEWNEWNEWNEWN'])
})

const exception = (status: number, name: string, text = 'No') =>
  json(status, { message: text }, { 'x-amzn-errortype': name })

test.each<[number, string, string, object]>([
  [400, 'MessageRejected', 'rejected_permanent', {}],
  [400, 'BadRequestException', 'rejected_permanent', {}],
  [429, 'TooManyRequestsException', 'rejected_retryable', {}],
  [400, 'LimitExceededException', 'rejected_retryable', {}],
  [400, 'AccountSuspendedException', 'rejected_retryable', { providerDown: true }],
  [400, 'SendingPausedException', 'rejected_retryable', { providerDown: true }],
  [403, 'InvalidClientTokenId', 'rejected_retryable', { providerDown: true }],
  [500, 'InternalServiceErrorException', 'rejected_retryable', { carrierFault: true }],
])('%s %s on the wire is %s, asked once', async (status, name, outcome, flags) => {
  answer = exception(status, name)
  expect(await carrier.send(account, message)).toMatchObject({
    outcome,
    code: name,
    providerMessageId: null,
    ...flags,
  })
  expect(received).toHaveLength(1)
})

test('a 503 without JSON is a fault of the carrier', async () => {
  answer = (response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<html>maintenance</html>')
  expect(await carrier.send(account, message)).toMatchObject({
    outcome: 'rejected_retryable',
    code: 'http_503',
    carrierFault: true,
  })
})

test('the wait that the carrier asks for is reported', async () => {
  answer = json(429, { message: 'slow' }, { 'x-amzn-errortype': 'TooManyRequestsException', 'retry-after': '7' })
  expect(await carrier.send(account, message)).toMatchObject({ retryAfterMs: 7000 })
})

test("an address in the carrier's error message is masked", async () => {
  answer = exception(400, 'MessageRejected', 'Email address is not verified: ada@example.com, "Ada" <ada@example.com>')
  const { message: sentence } = await carrier.send(account, message)
  expect(sentence).toMatch(/^MessageRejected Email address is not verified/)
  expect(sentence).not.toContain('ada@')
})

test.each<[string, (response: ServerResponse) => void]>([
  ['does not answer', () => {}],
  ['cuts the connection', (response) => response.destroy()],
  ['answers 200 without JSON', (response) => response.writeHead(200).end('<html>')],
  ['begins an answer and stops', (response) => response.writeHead(200, { 'content-length': '100' }).write('{')],
])('a carrier that receives the request and %s leaves the outcome unknown', async (_what, deviation) => {
  answer = deviation
  const impatient = createSesSender({ ...options, timeoutMs: 300 })
  const started = performance.now()
  expect(await impatient.send(account, message)).toMatchObject({ outcome: 'unknown', carrierFault: true })
  expect(performance.now() - started).toBeLessThan(4000)
  impatient.close()
})

/** In Jest's realm the SDK does not recognise Node's errors and hides their codes; outside Jest it recognises them. */
function recognizeErrorsOfNode() {
  Object.defineProperty(Error, Symbol.hasInstance, {
    configurable: true,
    value(this: unknown, error: unknown) {
      return this === Error ? types.isNativeError(error) : Function.prototype[Symbol.hasInstance].call(this, error)
    },
  })
}

test('a request that cannot be written is refused permanently, and is not a fault of the carrier', async () => {
  recognizeErrorsOfNode()
  // The SDK leaves a timer of one and a half times this behind.
  const brief = createSesSender({ ...options, timeoutMs: 100 })
  const answered = await brief.send(account, { ...message, traceparent: 'a\nb' })
  brief.close()
  expect(answered).toMatchObject({
    outcome: 'rejected_permanent',
    message: expect.stringContaining('cannot be written'),
  })
  expect(answered).not.toHaveProperty('carrierFault')
  expect(received).toEqual([])
})

test('a carrier that cannot be reached has not accepted the message', async () => {
  recognizeErrorsOfNode()
  const environment = { SES_API_URL: `http://127.0.0.1:${await closedPort()}` }
  const unreachable = createSesSender({ ...options, environment })
  expect(await unreachable.send(account, message)).toMatchObject({
    outcome: 'rejected_retryable',
    code: 'ECONNREFUSED',
    carrierFault: true,
  })
  unreachable.close()
})
