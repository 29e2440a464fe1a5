import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { addApplication, addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'

// Resend gets a repetition under the key of the attempt that it repeats, and its webhooks name that attempt for ever.

/** Answers of Resend that are lost, and those that wait. */
let lost = 0
let answering: Promise<unknown> = Promise.resolve()
/** Calls that Resend's limit refuses before it looks at their key, after a lost one. */
let limited = 0
/** Webhooks of Resend that wait. */
let reporting: Promise<unknown> = Promise.resolve()
let callbackUrl = ''
let sandboxUrl = ''

const forward = async (call: IncomingMessage, url: string) => {
  const body = Buffer.concat(await call.toArray())
  const { 'transfer-encoding': _, ...headers } = call.headers
  const onward = request(url, { method: call.method!, headers: { ...headers, 'content-length': body.length } })
  onward.end(body)
  const [answer] = (await once(onward, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(await answer.toArray()) }
}

/** Between dispatch and Resend. */
const onTheWay = createServer(async (call, response) => {
  if (call.url === '/resend/emails' && lost <= 0 && limited-- > 0) {
    const refusal = { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests' }
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(refusal))
    return
  }
  const answer = await forward(call, `${sandboxUrl}${call.url}`)
  // The connection breaks, so dispatch notices at once that there is no answer.
  if (call.url === '/resend/emails' && lost-- > 0) return void call.socket.destroy()
  await answering
  response.writeHead(answer.status, answer.headers).end(answer.body)
})
/** Between Resend and callbacks. */
const onTheWayBack = createServer(async (call, response) => {
  await reporting
  const answer = await forward(call, callbackUrl)
  response.writeHead(answer.status, answer.headers).end(answer.body)
})
const urlOf = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let env: TestEnv
let apiKey: string
beforeAll(async () => {
  const dispatch = {
    CARRIER_STAND_IN_URL: await urlOf(onTheWay),
    CARRIER_TIMEOUT: '30s',
    UNKNOWN_GRACE: '500ms',
    SEND_RETRY_DELAYS: '100ms,100ms,100ms',
  }
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: { 'dispatch-api': dispatch, 'dispatch-worker': dispatch },
  })
  sandboxUrl = env.stack.url('carrier-sandbox')
  const tenantId = await addEmptyTenant(env)
  const token = operatorToken(env, { tenant_id: tenantId, permissions: ['providers:manage'] })
  const application = await addApplication(env, tenantId)
  apiKey = application.apiKey
  const account = {
    api_key: 're_key_of_repetitions',
    signing_secret: `whsec_${Buffer.alloc(24, 'repeated').toString('base64')}`,
  }
  const credentials = { ...account, from: 'shop@example.com' }
  const body = {
    channel: 'email',
    kind: 'resend',
    name: 'Resend',
    application_id: application.applicationId,
    credentials,
  }
  const provider = await env.api('POST', '/api/v1/providers', { token, body })
  expect([provider.status, provider.text]).toEqual([201, expect.any(String)])
  callbackUrl = provider.body.callback_url
  const opened = { carrier: 'resend', account: { ...account, webhook_url: await urlOf(onTheWayBack) } }
  expect((await env.call('carrier-sandbox', 'POST', '/accounts', { body: opened })).status).toBe(201)
})
afterAll(async () => {
  await env?.stop()
  for (const server of [onTheWay, onTheWayBack]) {
    server.closeAllConnections()
    server.close()
  }
})

async function send(to: string): Promise<string> {
  const { status, body } = await env.api('POST', '/api/v1/notifications', { key: apiKey, body: emailTo(to) })
  expect(status).toBe(202)
  return body.notification_id
}
const stateOf = async (id: string) => (await env.api('GET', `/api/v1/notifications/${id}`, { key: apiKey })).body
const until = (id: string, expected: object) =>
  eventually(async () => expect(await stateOf(id)).toMatchObject(expected))

test('a bounce that comes after a repeated attempt was accepted ends the message as undelivered', async () => {
  const bounce = Promise.withResolvers<void>()
  reporting = bounce.promise
  lost = 1
  const to = freshAddress('bounce')
  const id = await send(to)
  await until(id, { delivery_status: 'sent', attempts: [{ outcome: 'unknown' }, { outcome: 'accepted' }] })
  bounce.resolve()
  await until(id, { delivery_status: 'undelivered', attempts: [{}, { provider_code: 'bounce:Permanent:General' }] })
  expect(await env.messages({ to, channel: 'email' })).toHaveLength(1)
})

test('a repetition that a rate limit refuses is repeated under the same key: the message is sent once', async () => {
  const report = Promise.withResolvers<void>()
  reporting = report.promise
  lost = 1
  limited = 1
  const to = freshAddress()
  const id = await send(to)
  await until(id, {
    delivery_status: 'sent',
    attempts: [{ outcome: 'unknown' }, { outcome: 'rejected_retryable' }, { outcome: 'accepted' }],
  })
  report.resolve()
  await until(id, { delivery_status: 'delivered' })
  expect(await env.messages({ to, channel: 'email' })).toHaveLength(1)
})

test('a bounce that comes while the repetition is under way ends the message, whatever is answered then', async () => {
  const bounce = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  reporting = bounce.promise
  answering = answer.promise
  lost = 1
  const to = freshAddress('bounce')
  const id = await send(to)
  await until(id, { attempts: [{ outcome: 'unknown' }, { outcome: null }] })
  bounce.resolve()
  await until(id, { delivery_status: 'undelivered' })
  answer.resolve()
  await until(id, { delivery_status: 'undelivered', attempts: [{ outcome: 'unknown' }, { outcome: 'accepted' }] })
  expect(await env.messages({ to, channel: 'email' })).toHaveLength(1)
})
