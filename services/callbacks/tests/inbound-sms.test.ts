import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type MessageReceived, messageReceived, newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { openEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { expectProblem, storedRows } from '@notify/test-kit/api'
import { openBus, storedMessages, untilSettled } from '@notify/test-kit/bus'
import { demoAccount, postForm, report, signature } from '@notify/test-kit/callbacks'
import { freshPhone } from '@notify/test-kit/sms'

const address = '/api/v1/callbacks/smsprovider/inbound'
const demoNumber = '+15005550006'
const twinNumber = '+15005550007'
const twinTenant = newId('ten')
const twinProvider = newId('prov')

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], { apart: ['dispatch-api'] })
  await addTwin()
})
afterAll(() => env?.stop())

/** A second tenant with the same account and its own number. */
async function addTwin(): Promise<void> {
  const file = join(env.stack.dataDir, 'bootstrap.json')
  const document = JSON.parse(readFileSync(file, 'utf8'))
  const [demo] = document.providers
  const twin = {
    ...demo,
    provider_id: twinProvider,
    tenant_id: twinTenant,
    credentials: { ...demo.credentials, from: twinNumber },
  }
  document.providers.push(twin)
  writeFileSync(file, JSON.stringify(document))
  await env.restart('dispatch-api')
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select sender from callbacks.providers where sender is not null order by sender',
    )
    expect(rows.map(({ sender }) => sender)).toEqual([demoNumber, twinNumber])
  })
}

function inbound(fields: Record<string, string> = {}): Record<string, string> {
  return {
    ToCountry: 'US',
    NumMedia: '0',
    AccountSid: demoAccount(env).sid,
    MessageSid: `SM${crypto.randomUUID().replaceAll('-', '')}`,
    From: freshPhone(),
    To: demoNumber,
    Body: 'Hello there',
    ApiVersion: '2010-04-01',
    ...fields,
  }
}

const receive = (fields: Record<string, string>, path = address) =>
  postForm(env, {
    fields,
    address: path,
    signed: signature(demoAccount(env).authToken, env.stack.url('gateway') + path, fields),
    headers: { accept: 'text/xml' },
  })

/** The published event of a message, decrypted. */
async function published(messageSid: string) {
  await untilSettled(env)
  await using bus = await openBus(env)
  const { encryption_keys } = env.stack.state
  const ring = parseKeyRing(encryption_keys)
  return (await storedMessages(bus, ['callbacks']))
    .filter(({ subject }) => subject === 'callbacks.message.received')
    .flatMap(({ text }) => JSON.parse(text).map(({ event }: { event: MessageReceived }) => event))
    .filter(({ provider_message_id }) => provider_message_id === messageSid)
    .map((event) => ({
      tenant: event.tenant_id,
      provider: event.provider_id,
      content: openEvent(ring, messageReceived, event),
    }))
}

test('a message is answered with empty TwiML, and published encrypted', async () => {
  const fields = inbound({ OptOutType: 'HELP', Body: 'help me, ünïcode 🎉' })
  const answer = await receive(fields)
  expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([200, 'text/xml', '<Response/>'])
  expect(await published(fields.MessageSid!)).toEqual([
    {
      tenant: env.tenantId,
      provider: demoAccount(env).providerId,
      content: { from: fields.From, to: demoNumber, body: fields.Body, opt_out_type: 'HELP' },
    },
  ])
})

test('neither number nor text stands readable in a table, a log or on the bus', async () => {
  const fields = inbound({ Body: 'a very private word' })
  await receive(fields)
  await published(fields.MessageSid!)
  await using bus = await openBus(env)
  const told = (await storedMessages(bus, ['callbacks'])).map(({ text, headers }) => text + headers).join('\n')
  const tables = await Promise.all(
    ['outbox', 'received_callbacks'].map((table) => env.admin.query(`select * from callbacks.${table}`)),
  )
  for (const text of [told, JSON.stringify(tables.map(({ rows }) => rows)), env.logs('callbacks', 10_000)]) {
    expect(text).not.toContain('private word')
    expect(text).not.toContain(fields.From!.slice(1))
  }
})

test('a repeated message is answered the same and published once', async () => {
  const fields = inbound()
  const answers = await Promise.all(Array.from({ length: 6 }, () => receive(fields)))
  answers.push(await receive(fields))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 <Response/>']))
  expect(await published(fields.MessageSid!)).toHaveLength(1)
})

test('of two tenants that share an account, the one that owns the number is notified, and both if it is of neither', async () => {
  const toTwin = inbound({ To: twinNumber })
  await receive(toTwin)
  expect(await published(toTwin.MessageSid!)).toMatchObject([{ tenant: twinTenant, provider: twinProvider }])
  const toNobody = inbound({ To: '+15005550999' })
  await receive(toNobody)
  const tenants = (await published(toNobody.MessageSid!)).map(({ tenant }) => tenant)
  expect(tenants.toSorted()).toEqual([env.tenantId, twinTenant].toSorted())
})

test('a receipt of a provider that its tenant has replaced counts for it, and not for another tenant with the account', async () => {
  const { sid: account_sid, authToken: auth_token } = demoAccount(env)
  const credentials = { account_sid, auth_token, from: '+15005550008' }
  const asOperator = { token: env.operatorToken }
  const added = await env.api('POST', '/api/v1/providers', {
    ...asOperator,
    body: { channel: 'sms', kind: 'twilio', name: 'Replaced', credentials },
  })
  const { provider_id } = added.body
  expect((await env.api('DELETE', `/api/v1/providers/${provider_id}`, asOperator)).status).toBe(204)
  await eventually(async () => {
    const replaced = 'select from callbacks.providers where id = $1 and deleted_at is not null'
    expect((await env.admin.query(replaced, [provider_id])).rows).toHaveLength(1)
  })
  const MessageSid = `SM${crypto.randomUUID().replaceAll('-', '')}`
  const attempt = { notificationId: newId('notif'), attemptId: newId('att') }
  const account = { ...demoAccount(env), providerId: provider_id }
  const { body } = await report(env, attempt, 'delivered', { account, fields: { MessageSid } })
  expect(body).toEqual({ status: 'recorded' })
  const { rows } = await env.admin.query(
    'select provider_id from callbacks.received_callbacks where provider_message_id = $1',
    [MessageSid],
  )
  expect(rows).toEqual([{ provider_id }])
})

test('an empty body, as of a picture, is a message like any other', async () => {
  const { Body: _, ...fields } = inbound({ NumMedia: '1' })
  expect((await receive(fields as Record<string, string>)).status).toBe(200)
  expect(await published(fields.MessageSid!)).toMatchObject([{ content: { body: '' } }])
})

test('a signature that does not fit is 403 and leaves nothing', async () => {
  const fields = inbound({ Body: 'STOP' })
  const { authToken } = demoAccount(env)
  const url = env.stack.url('gateway') + address
  const before = await storedRows(env)
  for (const signed of [
    undefined,
    '',
    signature('x'.repeat(32), url, fields),
    signature(authToken, url, { ...fields, From: '+15551230001' }),
    signature(authToken, url.replace('inbound', 'sms'), fields),
  ]) {
    expectProblem(await postForm(env, { fields, address, signed }), 403, 'invalid_signature')
  }
  const foreign = { ...fields, AccountSid: `AC${'0'.repeat(32)}` }
  expectProblem(
    await postForm(env, { fields: foreign, address, signed: signature(authToken, url, foreign) }),
    403,
    'invalid_signature',
  )
  expect(await storedRows(env)).toEqual(before)
})

test.each([
  ['an empty form', '', 'application/x-www-form-urlencoded', 422, 'validation_failed'],
  ['no sender', 'AccountSid=AC1&MessageSid=SM1&To=%2B1', 'application/x-www-form-urlencoded', 422, 'validation_failed'],
  ['JSON', '{}', 'application/json', 415, 'unsupported_media_type'],
  ['65 KB', 'x'.repeat(65 * 1024), 'application/x-www-form-urlencoded', 413, 'payload_too_large'],
])('%s is refused before anything is looked up', async (_what, raw, type, status, code) => {
  expectProblem(await env.api('POST', address, { key: null, raw, headers: { 'content-type': type } }), status, code)
})
