import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import twilio from 'twilio'
import { signCallback } from '../src/twilio/sign-callback.ts'
import {
  account,
  noContent,
  otherAccount,
  postMessage,
  sender,
  startReceiver,
  startSandbox,
  twilioClient,
} from './harness.ts'

const to = '+15551230001'

test('a callback is signed over the whole URL, query included', async () => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  const statusCallback = `${receiver.url}/callbacks/sms?id=att_1&note=a%20b%27c`
  await twilioClient(url, otherAccount).messages.create({ to, from: sender, body: 'Hi', statusCallback })
  await eventually(() => expect(receiver.received).toHaveLength(2))
  for (const { path, headers, parameters } of receiver.received) {
    const signature = String(headers['x-twilio-signature'])
    const { authToken } = otherAccount
    expect(receiver.url + path).toBe(statusCallback)
    expect(twilio.validateRequest(authToken, signature, statusCallback, parameters)).toBe(true)
    expect(twilio.validateRequest(account.authToken, signature, statusCallback, parameters)).toBe(false)
    expect(twilio.validateRequest(authToken, signature, `${statusCallback}x`, parameters)).toBe(false)
  }
})

test('the signature agrees with the published example', () => {
  const parameters = {
    CallSid: 'CA1234567890ABCDE',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
    Caller: '+14158675309',
  }
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  expect(signCallback('12345', url, parameters)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=')
})

test('a callback names the message, its state and its parties', async () => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  const messagingServiceSid = `MG${'a'.repeat(32)}`
  const { sid } = await twilioClient(url).messages.create({
    to,
    messagingServiceSid,
    body: 'Hi',
    statusCallback: receiver.url,
  })
  await eventually(() => expect(receiver.received).toHaveLength(2))
  const shared = {
    MessageSid: sid,
    SmsSid: sid,
    To: to,
    From: sender,
    AccountSid: account.sid,
    ApiVersion: '2010-04-01',
    MessagingServiceSid: messagingServiceSid,
  }
  expect(receiver.received.map(({ parameters }) => parameters)).toEqual([
    { ...shared, MessageStatus: 'sent', SmsStatus: 'sent' },
    {
      ...shared,
      MessageStatus: 'delivered',
      SmsStatus: 'delivered',
      RawDlrDoneDate: expect.stringMatching(/^\d{10}$/),
    },
  ])
  const tokens = receiver.received.map(({ headers }) => headers['i-twilio-idempotency-token'])
  expect(new Set(tokens).size).toBe(2)
})

test('callbacks carry no trace context, like those of Twilio', async () => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await postMessage(url, { To: to, From: sender, Body: 'Hi', StatusCallback: receiver.url }, { traceparent })
  await eventually(() => expect(receiver.received).toHaveLength(2))
  expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined])
})

test('a callback is repeated until it is answered below 500, under one token and before the next one', async () => {
  const receiver = await startReceiver((res, count) => {
    if (count === 1) res.writeHead(503).end()
    else if (count === 2) res.destroy()
    else noContent(res)
  })
  const { url } = await startSandbox()
  await twilioClient(url).messages.create({ to, from: sender, body: 'Hi', statusCallback: receiver.url })
  await eventually(() => expect(receiver.statuses()).toEqual(['sent', 'sent', 'sent', 'delivered']))
  const [first, second, third, last] = receiver.received.map(({ headers }) => headers['i-twilio-idempotency-token'])
  expect([second, third]).toEqual([first, first])
  expect(last).not.toBe(first)
})

test('a receipt survives a restart of its receiver', async () => {
  const { url } = await startSandbox()
  const first = createServer().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const { port } = first.address() as AddressInfo
  const gone = once(first, 'close')
  first.close()
  await gone
  const statusCallback = `http://127.0.0.1:${port}`
  const { sid } = await twilioClient(url).messages.create({ to, from: sender, body: 'Hi', statusCallback })
  await eventually(async () => expect((await twilioClient(url).messages(sid).fetch()).status).toBe('sent'))
  let received = 0
  const second = createServer((_req, res) => {
    received++
    noContent(res)
  }).listen(port, '127.0.0.1')
  await eventually(() => expect(received).toBe(2))
  second.close()
  second.closeAllConnections()
})

test('a callback that is answered 4xx is not repeated', async () => {
  const receiver = await startReceiver((res) => res.writeHead(403).end())
  const { url } = await startSandbox()
  await twilioClient(url).messages.create({ to, from: sender, body: 'Hi', statusCallback: receiver.url })
  await eventually(() => expect(receiver.statuses()).toEqual(['sent', 'delivered']))
})

test('a receiver that hangs gets at most 512 requests at a time and delays no other receiver', async () => {
  let open = 0
  // Requests that got no answer for long are given up, and others take their places.
  const hanging = await startReceiver((response) => {
    open++
    response.once('close', () => open--)
  })
  const healthy = await startReceiver()
  const { url } = await startSandbox()
  const client = twilioClient(url)
  const send = (statusCallback: string) => client.messages.create({ to, from: sender, body: 'Hi', statusCallback })
  await Promise.all(Array.from({ length: 600 }, () => send(hanging.url)))
  await eventually(() => expect(open).toBe(512))
  await send(healthy.url)
  await eventually(() => expect(healthy.statuses()).toEqual(['sent', 'delivered']))
  expect(open).toBeLessThanOrEqual(512)
})

test('many messages at once get every callback, each message in order', async () => {
  const [{ url }, receiver] = await Promise.all([startSandbox(), startReceiver()])
  const form = { To: to, From: sender, Body: 'Hi', StatusCallback: receiver.url }
  const answers = await Promise.all(Array.from({ length: 500 }, () => postMessage(url, form)))
  expect(answers.every(({ status }) => status === 201)).toBe(true)
  await eventually(() => expect(receiver.received).toHaveLength(1000))
  const statusesOf = Map.groupBy(receiver.received, ({ parameters }) => parameters.MessageSid)
  expect(statusesOf.size).toBe(500)
  for (const [first, second] of statusesOf.values()) {
    expect([first?.parameters.MessageStatus, second?.parameters.MessageStatus]).toEqual(['sent', 'delivered'])
  }
})

test('stopping cancels waiting callbacks and gives those under way one second', async () => {
  const hanging = await startReceiver(() => {})
  const sandbox = await startSandbox()
  await twilioClient(sandbox.url).messages.create({ to, from: sender, body: 'Hi', statusCallback: hanging.url })
  await eventually(() => expect(hanging.received).toHaveLength(1))
  const startedAt = performance.now()
  await sandbox.stop()
  const tookMs = performance.now() - startedAt
  expect(tookMs).toBeGreaterThan(900)
  expect(tookMs).toBeLessThan(10_000)
  await expect(fetch(sandbox.url)).rejects.toThrow()
})
