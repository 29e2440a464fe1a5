import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { type Account, postForm, report, signature } from '@notify/test-kit/callbacks'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { type DispatchGate, startDispatchGate } from '@notify/test-kit/dispatch-gate'
import { freshPhone } from '@notify/test-kit/sms'

let env: TestEnv
let gate: DispatchGate
beforeAll(async () => {
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['callbacks'],
    env: { callbacks: { DISPATCH_URL: gate.url, TRUSTED_PROXIES: '127.0.0.0/8' } },
  })
  // No event reaches callbacks.
  await env.kill('nats')
})
afterEach(() => gate.set('pass'))
afterAll(async () => {
  await env?.restart('nats')
  await env?.stop()
  gate?.stop()
})

const unknownAccount = (): Account => ({
  sid: `AC${randomBytes(16).toString('hex')}`,
  authToken: randomBytes(16).toString('hex'),
  providerId: newId('prov'),
})

const demoNumber = '+15005550006'

/** Connects an account, by default a new one of the demo tenant. */
async function connectAccount({
  account = unknownAccount(),
  from = demoNumber,
  token = env.operatorToken,
} = {}): Promise<Account> {
  const credentials = { account_sid: account.sid, auth_token: account.authToken, from }
  const { status, body } = await env.api('POST', '/api/v1/providers', {
    token,
    body: { channel: 'sms', kind: 'twilio', name: 'New', credentials },
  })
  expect(status).toBe(201)
  return { ...account, providerId: body.provider_id }
}

/** As a balancer before the gateway tells it; each test has an address of its own. */
let caller = 0
beforeEach(() => {
  caller += 1
})

const deliver = (account: Account, from = `203.0.113.${caller}`) =>
  report(env, { notificationId: newId('notif'), attemptId: newId('att') }, 'delivered', {
    account,
    headers: { 'x-forwarded-for': from },
  })

const inboundAddress = '/api/v1/callbacks/smsprovider/inbound'

function writeStop({ sid, authToken }: Account, From: string, To = demoNumber) {
  const MessageSid = `SM${crypto.randomUUID().replaceAll('-', '')}`
  const fields = { AccountSid: sid, MessageSid, From, To, Body: 'STOP' }
  const signed = signature(authToken, env.stack.url('gateway') + inboundAddress, fields)
  const headers = { 'x-forwarded-for': `203.0.113.${caller}` }
  return postForm(env, { fields, address: inboundAddress, signed, headers })
}

const business_account_id = '129820579749403'
const app = { business_account_id, app_secret: 'secret-of-the-app' }

/** Connects a WhatsApp number, by default one of the app. @returns the id of its provider */
async function connectNumber(phone_number_id: string, account: object = app): Promise<string> {
  const { status, body } = await env.api('POST', '/api/v1/providers', {
    token: env.operatorToken,
    body: {
      ...{ channel: 'whatsapp', kind: 'whatsapp_cloud', name: 'New' },
      credentials: { ...account, phone_number_id, access_token: 'EAAtoken1' },
    },
  })
  expect(status).toBe(201)
  return body.provider_id
}

/** Posts a stop of marketing by a contact of each number, at the address of a provider of the app or at the shared one. */
function postStops(place: string, numbers: readonly string[], secret = app.app_secret) {
  const stop = { wa_id: '16505551234', category: 'marketing_messages', value: 'stop', timestamp: 1761548340 }
  const changes = numbers.map((phone_number_id) => ({
    field: 'user_preferences',
    value: { messaging_product: 'whatsapp', metadata: { phone_number_id }, user_preferences: [stop] },
  }))
  const entry = [{ id: business_account_id, time: 1, changes }]
  const raw = JSON.stringify({ object: 'whatsapp_business_account', entry })
  const digest = createHmac('sha256', secret).update(raw).digest('hex')
  return env.api('POST', `/api/v1/callbacks/cloud/${place}`, {
    key: null,
    raw,
    headers: {
      ...{ 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${digest}` },
      'x-forwarded-for': `203.0.113.${caller}`,
    },
  })
}

const postStop = (providerId: string, number: string) => postStops(providerId, [number])
const recordedAnswer = { status: 200, body: { status: 'recorded' } }

/** More numbers than one process asks about within a second. */
const unknownNumbers = () => Array.from({ length: 60 }, () => String(randomInt(10 ** 14, 2 * 10 ** 14)))

/** Why a tenant sends nothing to a number. */
async function suppressed(token: string, recipient: string): Promise<string[]> {
  const query = new URLSearchParams({ channel: 'sms', recipient })
  const { body } = await env.api('GET', `/api/v1/suppressions?${query}`, { token })
  return body.items.map(({ reason }: { reason: string }) => reason)
}

const emailTo = (providerId: string) =>
  env.api('POST', `/api/v1/callbacks/email/${providerId}`, {
    key: null,
    raw: '{}',
    headers: { 'content-type': 'text/plain', 'x-forwarded-for': `203.0.113.${caller}` },
  })

test('a receipt that arrives before the event of its provider is recorded', async () => {
  const account = await connectAccount()
  const answer = await deliver(account)
  expect([answer.status, answer.body]).toEqual([200, { status: 'recorded' }])
  expectProblem(await deliver({ ...account, authToken: 'x'.repeat(32) }), 403, 'invalid_signature')
})

test('a receipt of a provider whose event has not arrived is that of its tenant, also if another tenant shares the account', async () => {
  const account = await connectAccount()
  expect((await deliver(account)).status).toBe(200)
  const twin = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions: ['providers:manage'] })
  const { providerId } = await connectAccount({ account, from: '+15005550007', token: twin })
  const answer = await deliver({ ...account, providerId })
  expect([answer.status, answer.body]).toEqual([200, { status: 'recorded' }])
  const recorded = 'select from callbacks.received_callbacks where provider_id = $1'
  expect((await env.admin.query(recorded, [providerId])).rowCount).toBe(1)
})

test('while dispatch is away an unknown account is 503 with Retry-After, later what it is', async () => {
  const account = await connectAccount()
  const [stranger, unknownId] = [unknownAccount(), newId('prov')]
  gate.set('refuse')
  for (const answer of [await deliver(account), await deliver(stranger), await emailTo(unknownId)]) {
    expectProblem(answer, 503, 'service_unavailable')
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  }
  expectProblem(await emailTo('x'), 404, 'not_found')
  gate.set('pass')
  expect((await deliver(account)).status).toBe(200)
  expectProblem(await deliver(stranger), 403, 'invalid_signature')
  expectProblem(await emailTo(unknownId), 404, 'not_found')
})

test('a text that addresses an account which nobody has, or is not signed with its token, is 403', async () => {
  const account = await connectAccount()
  expectProblem(await writeStop(unknownAccount(), freshPhone()), 403, 'invalid_signature')
  expectProblem(await writeStop({ ...account, authToken: 'x'.repeat(32) }, freshPhone()), 403, 'invalid_signature')
  expectProblem(await writeStop({ ...account, sid: 'AC1' }, freshPhone()), 422, 'validation_failed')
})

test('an account that nobody has is asked for once in some seconds, and many of them cost dispatch a few calls and no 5xx', async () => {
  gate.set('pass')
  const stranger = unknownAccount()
  const firstAt = performance.now()
  for (let i = 0; i < 5; i++) expectProblem(await deliver(stranger), 403, 'invalid_signature')
  // What dispatch said counts for five seconds.
  expect(gate.calls).toBeLessThanOrEqual(1 + Math.floor((performance.now() - firstAt) / 5000))
  const before = gate.calls
  const begunAt = performance.now()
  const answers = await Promise.all(Array.from({ length: 100 }, () => deliver(unknownAccount())))
  const seconds = Math.ceil((performance.now() - begunAt) / 1000)
  expect(gate.calls).toBeLessThanOrEqual(before + 10 * (seconds + 1))
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403, 429]))
  const refused = answers.find(({ status }) => status === 429)!
  expect(refused.headers.get('retry-after')).toBe('1')
})

test('while one address invents accounts, a new account is taken from another address', async () => {
  const account = await connectAccount()
  let isFlooding = true
  const flood = Array.from({ length: 8 }, async () => {
    while (isFlooding) await deliver(unknownAccount(), '198.51.100.5')
  })
  await eventually(async () => expect((await deliver(unknownAccount(), '198.51.100.5')).status).toBe(429))
  const answer = await deliver(account, '198.51.100.6')
  isFlooding = false
  await Promise.all(flood)
  expect(answer.status).toBe(200)
})

test('a stop at the address of an own app, to a number whose event has not arrived, is recorded; while dispatch is away it is 503', async () => {
  const first = await connectNumber('180960945997701')
  expect(await untilAvailable(() => postStop(first, '180960945997701'))).toMatchObject(recordedAnswer)
  await connectNumber('180960945997702')
  gate.set('refuse')
  expectProblem(await postStop(first, '180960945997702'), 503, 'service_unavailable')
  gate.set('pass')
  expect(await untilAvailable(() => postStop(first, '180960945997702'))).toMatchObject(recordedAnswer)
  const ignored = { status: 200, body: { status: 'ignored' } }
  expect(await untilAvailable(() => postStop(first, '180960945997703'))).toMatchObject(ignored)
})

test('a post to the shared address that also names many unknown numbers counts for the connected one', async () => {
  const number = '180960945997704'
  await connectNumber(number, { business_account_id })
  const posted = (...numbers: string[]) =>
    untilAvailable(() => postStops('shared', numbers, env.stack.state.meta_shared_app_secret))
  expect(await posted(number)).toMatchObject(recordedAnswer)
  expect(await posted(...unknownNumbers(), number)).toMatchObject(recordedAnswer)
})

test('numbers that an own app names and nobody has connected use up no questions about other accounts', async () => {
  const number = '180960945997705'
  const id = await connectNumber(number)
  expect(await untilAvailable(() => postStop(id, number))).toMatchObject(recordedAnswer)
  for (let times = 0; times < 5; times++) {
    expect(await untilAvailable(() => postStops(id, [...unknownNumbers(), number]))).toMatchObject(recordedAnswer)
    expectProblem(await untilAvailable(() => deliver(unknownAccount())), 403, 'invalid_signature')
  }
})

test('a STOP that arrives before the event of its provider suppresses its sender, for the tenant whose number it names', async () => {
  const account = await connectAccount()
  const [phone, other] = [freshPhone(), freshPhone()]
  const taken = await writeStop(account, phone)
  expect([taken.status, taken.text]).toEqual([200, '<Response/>'])
  // Another tenant connects its own number of the account that is known already.
  const permissions = ['providers:manage', 'consents:read']
  const twin = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions })
  await connectAccount({ account, from: '+15005550007', token: twin })
  expect((await writeStop(account, other, '+15005550007')).status).toBe(200)
  await env.restart('nats')
  await eventually(async () => {
    expect(await suppressed(env.operatorToken, phone)).toEqual(['stop'])
    expect(await suppressed(twin, other)).toEqual(['stop'])
  })
  expect([await suppressed(env.operatorToken, other), await suppressed(twin, phone)]).toEqual([[], []])
})
