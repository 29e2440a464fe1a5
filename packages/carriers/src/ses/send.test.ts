import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
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
const taken = { status: 200, headers: {}, body: { MessageId: '0102018f-1' } }
let reply: { status: number; headers: object; body: object } = taken
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  received.push({ path: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
  const { status, headers, body } = reply
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
})

let carrier: Sender<SesCredentials, EmailMessage>
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  carrier = createSesSender({
    timeoutMs: 5000,
    maxConnections: 6,
    publicUrl: 'https://api.example.com',
    sandboxUrl: `${url}/sandbox`,
    environment: { SES_API_URL: `${url}/live` },
  })
})
afterAll(() => {
  carrier.close()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  received.length = 0
  reply = taken
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

test('headers go out beside the texts; those that SES takes only in MIME, with the whole message in MIME', async () => {
  const headers = { 'Content-Language': 'de-AT', 'X-Order': 'A-1' }
  await carrier.send(account, { ...message, headers })
  const tooLong = { ...headers, References: '<a@shop.example> '.repeat(60).trim() }
  await carrier.send(account, { ...message, headers: tooLong })
  const many = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`X-${at}`, 'v']))
  await carrier.send(account, { ...message, headers: many })
  const [simple, ...raw] = received.map(({ body }) => body.Content)
  expect(simple.Simple.Headers).toEqual(Object.entries(headers).map(([Name, Value]) => ({ Name, Value })))
  expect(raw.map((content) => Object.keys(content))).toEqual([['Raw'], ['Raw']])
  expect(Buffer.from(raw[0].Raw.Data, 'base64').toString()).toMatch(/^Content-Language: de-AT\r\n/m)
})

test('a permission that is missing for the sender of a message alone is no fault of the account', async () => {
  const refuse = (identity: string) => {
    const resource = `arn:aws:ses:eu-west-1:123456789012:identity/${identity}`
    const text = `User is not authorized to perform \`ses:SendEmail' on resource \`${resource}'`
    reply = { status: 403, headers: { 'x-amzn-errortype': 'AccessDeniedException' }, body: { message: text } }
  }
  const refused = { outcome: 'rejected_retryable', code: 'AccessDeniedException' }
  for (const identity of ['news@shop.example', 'shop.example', 'example.com']) {
    refuse(identity)
    const ofMessage = await carrier.send(account, { ...message, from: `news@${identity.replace('news@', '')}` })
    expect(ofMessage).toMatchObject(refused)
    expect(ofMessage).not.toHaveProperty('providerDown')
    expect(ofMessage.message).not.toContain('news@')
  }
  for (const identity of ['orders@example.com', 'example.com']) {
    refuse(identity)
    expect(await carrier.send(account, message)).toMatchObject({ ...refused, providerDown: true })
  }
})
