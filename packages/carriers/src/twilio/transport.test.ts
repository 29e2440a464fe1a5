import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import twilio from 'twilio'
import { type CallScope, callScopes, TwilioTransport } from './transport.ts'

const account = `AC${'0'.repeat(32)}`
const message = { to: '+15550001111', from: '+15005550006', body: 'Käse & Brot' }
const closes: (() => void)[] = []
afterEach(() => {
  for (const close of closes.splice(0)) close()
})

/** A client whose requests this listener answers. */
async function clientOf(listener: RequestListener, timeoutMs = 60_000, maxConnections = 2): Promise<twilio.Twilio> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const httpClient = new TwilioTransport({ timeoutMs, maxConnections })
  closes.push(() => {
    httpClient.close()
    server.closeAllConnections()
    server.close()
  })
  const client = twilio(account, 'a-token', { httpClient })
  client.api.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return client
}

test('a message is posted as a form, with account and trace, and the answer is parsed', async () => {
  const seen: { url?: string; authorization?: string; traceparent?: unknown; form?: URLSearchParams } = {}
  const client = await clientOf(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    seen.url = request.url!
    seen.authorization = request.headers.authorization!
    seen.traceparent = request.headers.traceparent
    seen.form = new URLSearchParams(Buffer.concat(chunks).toString())
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1"}')
  })
  const scope: CallScope = { traceparent: '00-1-2-01', retryAfterMs: null }
  const { sid } = await callScopes.run(scope, () => client.messages.create(message))
  expect(sid).toBe('SM1')
  expect(seen).toMatchObject({
    url: `/2010-04-01/Accounts/${account}/Messages.json`,
    authorization: `Basic ${Buffer.from(`${account}:a-token`).toString('base64')}`,
    traceparent: '00-1-2-01',
  })
  expect(Object.fromEntries(seen.form!)).toEqual({ To: message.to, From: message.from, Body: message.body })
})

test('a message that got no connection in time is reported as never sent, and is not sent afterwards', async () => {
  const arrived: string[] = []
  const busy = await clientOf(
    async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = new URLSearchParams(Buffer.concat(chunks).toString()).get('Body')!
      arrived.push(body)
      // The second occupies the connection.
      if (body === 'second') return
      await delay(300)
      response.writeHead(201).end('{"sid":"SM1"}')
    },
    2000,
    1,
  )
  const send = (body: string) => busy.messages.create({ ...message, body })
  const [first, second, third] = await Promise.allSettled(['first', 'second', 'third'].map(send))
  expect(first).toMatchObject({ status: 'fulfilled' })
  expect(second).toMatchObject({ reason: { code: 'ETIMEDOUT', hasLeft: true } })
  // Both time out together, which frees the connection: the third may still leave, but then it must not be reported as unsent.
  const { code, hasLeft } = (third as PromiseRejectedResult).reason
  expect([code, hasLeft]).toEqual(hasLeft ? ['ETIMEDOUT', true] : ['ENOTCONN', false])
  await send('fourth')
  // One that left on a connection that ends may arrive or not.
  const expected = hasLeft ? arrived.filter((body) => body !== 'third') : arrived
  expect(expected).toEqual(['first', 'second', 'fourth'])
})
