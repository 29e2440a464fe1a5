import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId, providerChanged } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { sealEvent } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { expectProblem, stateOf, storedRows, untilState } from '@notify/test-kit/api'
import { openBus, untilSettled } from '@notify/test-kit/bus'
import {
  type Account,
  type Correlation,
  callbackAddress,
  demoAccount,
  postForm,
  report,
  signature,
  statusFields,
} from '@notify/test-kit/callbacks'
import { addTenant, otherAccountEnv } from '@notify/test-kit/callers'
import { freshPhone, send } from '@notify/test-kit/sms'

let env: TestEnv
let other: Awaited<ReturnType<typeof addTenant>>
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], { env: { 'carrier-sandbox': otherAccountEnv } })
  other = await addTenant(env)
})
afterAll(() => env?.stop())

/** An accepted message without automatic callbacks. */
async function silentMessage(): Promise<Correlation & { id: string }> {
  const id = await send(env, freshPhone('0008'))
  const { attempts } = await untilState(env, id, { delivery_status: 'sent' })
  return { id, notificationId: id, attemptId: attempts[0].attempt_id }
}

const settled = () => untilSettled(env)

const revisionOf = async (id: string) =>
  (await env.admin.query('select revision from dispatch.notifications where id = $1', [id])).rows[0].revision

describe('a signed status moves the notification', () => {
  test.each([
    ['delivered', null, false],
    ['undelivered', '30003 Unreachable destination handset', true],
    ['failed', '30008 Unknown error', true],
    ['failed', '30007 Message filtered', false],
  ])('%s (%s)', async (status, reason, retryable) => {
    const message = await silentMessage()
    const fields: Record<string, string> = reason ? { ErrorCode: reason.slice(0, 5) } : {}
    const answer = await report(env, message, status, { fields })
    expect([answer.status, answer.body]).toEqual([200, { status: 'recorded' }])
    await untilState(env, message.id, { delivery_status: status, failure_reason: reason, retryable })
  })

  test('an unknown code of a carrier is kept unchanged', async () => {
    const message = await silentMessage()
    await report(env, message, 'undelivered', { fields: { ErrorCode: '39999' } })
    const { failure_reason } = await untilState(env, message.id, { delivery_status: 'undelivered', retryable: true })
    expect(failure_reason).toContain('39999')
  })
})

describe('receipts late and out of order', () => {
  test('delivered overrides undelivered and failed of the same attempt', async () => {
    for (const bad of ['undelivered', 'failed']) {
      const message = await silentMessage()
      await report(env, message, bad, { fields: { ErrorCode: '30003' } })
      await untilState(env, message.id, { delivery_status: bad })
      await report(env, message, 'delivered')
      await untilState(env, message.id, { delivery_status: 'delivered', failure_reason: null, retryable: false })
    }
  })

  test('after delivered nothing changes any more', async () => {
    const message = await silentMessage()
    await report(env, message, 'delivered')
    await untilState(env, message.id, { delivery_status: 'delivered' })
    const revision = await revisionOf(message.id)
    for (const late of ['sent', 'undelivered', 'failed', 'delivered']) await report(env, message, late)
    await settled()
    expect(await stateOf(env, message.id)).toMatchObject({ delivery_status: 'delivered', failure_reason: null })
    expect(await revisionOf(message.id)).toBe(revision)
  })

  test('sent after undelivered changes nothing, and failed after undelivered neither', async () => {
    const message = await silentMessage()
    await report(env, message, 'undelivered', { fields: { ErrorCode: '30003' } })
    await untilState(env, message.id, { delivery_status: 'undelivered' })
    await report(env, message, 'sent')
    await report(env, message, 'failed', { fields: { ErrorCode: '30007' } })
    await settled()
    expect(await stateOf(env, message.id)).toMatchObject({
      delivery_status: 'undelivered',
      failure_reason: '30003 Unreachable destination handset',
    })
  })

  test('a receipt of the first attempt changes the second only to delivered', async () => {
    const message = await silentMessage()
    await report(env, message, 'undelivered', { fields: { ErrorCode: '30003' } })
    await untilState(env, message.id, { delivery_status: 'undelivered' })
    await env.api('POST', `/api/v1/activity/${message.id}/retry`, { token: env.operatorToken })
    await untilState(env, message.id, { delivery_status: 'sent', retry_count: 1 })
    await report(env, message, 'failed', { fields: { ErrorCode: '30007' } })
    await settled()
    expect((await stateOf(env, message.id)).delivery_status).toBe('sent')
    await report(env, message, 'delivered')
    await untilState(env, message.id, { delivery_status: 'delivered' })
  })

  test('all at the same moment, in any order, end as delivered', async () => {
    const message = await silentMessage()
    const statuses = ['failed', 'sent', 'delivered', 'undelivered', 'sent', 'delivered']
    await Promise.all(statuses.map((status) => report(env, message, status)))
    await settled()
    expect(await stateOf(env, message.id)).toMatchObject({ delivery_status: 'delivered', failure_reason: null })
  })
})

test('a repeated callback is answered 200 and recorded once', async () => {
  const message = await silentMessage()
  const fields = { MessageSid: `SM${'7'.repeat(32)}` }
  await settled()
  const before = await storedRows(env)
  const answers = await Promise.all(Array.from({ length: 8 }, () => report(env, message, 'delivered', { fields })))
  answers.push(await report(env, message, 'delivered', { fields }))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await settled()
  const after = await storedRows(env)
  for (const table of ['callbacks.received_callbacks', 'callbacks.outbox']) {
    expect([table, after[table]]).toEqual([table, (before[table] ?? 0) + 1])
  }
})

test('a status that changes no state, or an unknown one, is answered 200 and ignored', async () => {
  const message = await silentMessage()
  await settled()
  const before = await storedRows(env)
  for (const status of ['queued', 'sending', 'accepted', 'read', 'canceled', 'teleported', 'DELIVERED']) {
    const { status: code, body } = await report(env, message, status)
    expect([status, code, body]).toEqual([status, 200, { status: 'ignored' }])
  }
  expect(await storedRows(env)).toEqual(before)
})

test('a message of the account that is not ours is recorded and moves nothing', async () => {
  const account = demoAccount(env)
  const address = '/api/v1/callbacks/smsprovider/sms'
  const fields = statusFields(account, 'delivered')
  const signed = signature(account.authToken, env.stack.url('gateway') + address, fields)
  expect((await postForm(env, { fields, address, signed })).status).toBe(200)
  await settled()
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.dead_letters')
  expect(rows[0].count).toBe(0)
})

test.each([
  ['cannot be decrypted', { kind: 'twilio', credentials: Buffer.from('sealed elsewhere').toString('base64') }],
  ['is of a kind of provider that a newer release knows', { kind: 'pigeon', credentials: '' }],
])('an event that %s waits aside, and what comes after it is handled', async (_what, content) => {
  await using bus = await openBus(env)
  const change = { tenant_id: newId('ten'), channel: 'sms', revision: 1, provider_id: newId('prov'), ...content }
  await bus.js.publish('dispatch.provider.changed', JSON.stringify([{ event: change }]))
  await settled()
  const { rows } = await env.admin.query('select durable, state from callbacks.dead_letters where event like $1', [
    `%${change.provider_id}%`,
  ])
  expect(rows).toEqual([{ durable: 'callbacks-provider-changed', state: 'waiting' }])
})

test('a field of the credentials that only a newer release knows is no error', async () => {
  await using bus = await openBus(env)
  const [tenant_id, provider_id] = [newId('ten'), newId('prov')]
  const account = { account_sid: 'AC1', auth_token: 'token', from: '+14155550100', edge: 'dublin' }
  const ring = parseKeyRing(env.stack.state.encryption_keys)
  const use = { application_id: null, priority: 100 }
  const event = { tenant_id, provider_id, channel: 'sms' as const, kind: 'twilio', revision: 1, ...use }
  const change = { ...sealEvent(ring, providerChanged, event, account), edition: 'newer' }
  await bus.js.publish('dispatch.provider.changed', JSON.stringify([{ event: change }]))
  await eventually(async () => {
    const { rows } = await env.admin.query('select account_id from callbacks.providers where id = $1', [provider_id])
    expect(rows).toEqual([{ account_id: 'AC1' }])
  })
})

describe('a signature that does not fit is 403 invalid_signature and leaves nothing', () => {
  interface Attempt {
    account: Account
    address: string
    fields: Record<string, string>
    url: string
  }
  const cases: [
    string,
    (attempt: Attempt) => Partial<{ signed: string | undefined; fields: object; address: string }>,
  ][] = [
    ['none at all', () => ({ signed: undefined })],
    ['an empty one', () => ({ signed: '' })],
    ['another token', ({ url, fields }) => ({ signed: signature('x'.repeat(32), url, fields) })],
    ['another status', ({ fields }) => ({ fields: { ...fields, MessageStatus: 'failed' } })],
    ['one field more', ({ fields }) => ({ fields: { ...fields, ErrorCode: '30003' } })],
    ['another address', ({ address }) => ({ address: address.replace(/attempt_id=att_./, 'attempt_id=att_7') })],
    ['one parameter more in the address', ({ address }) => ({ address: `${address}&x=1` })],
    [
      'the internal address in place of the public one',
      ({ account, address, fields }) => ({
        signed: signature(account.authToken, env.stack.url('callbacks') + address, fields),
      }),
    ],
    ['an account that nobody has', ({ fields }) => ({ fields: { ...fields, AccountSid: `AC${'0'.repeat(32)}` } })],
    ['the account of another tenant', ({ fields }) => ({ fields: { ...fields, AccountSid: other.account.sid } })],
  ]

  test.each(cases)('%s', async (_what, alter) => {
    const message = await silentMessage()
    await settled()
    const before = await storedRows(env)
    const account = demoAccount(env)
    const address = callbackAddress(message, account)
    const fields = statusFields(account, 'delivered')
    const url = env.stack.url('gateway') + address
    const good = { address, fields, signed: signature(account.authToken, url, fields) }
    const altered = { ...good, ...alter({ account, address, fields, url }) } as typeof good
    expectProblem(await postForm(env, altered), 403, 'invalid_signature')
    expect(await storedRows(env)).toEqual(before)
    expect((await postForm(env, good)).status).toBe(200)
  })
})

test('another tenant’s account, rightly signed, moves no notification that is not its own', async () => {
  const message = await silentMessage()
  await eventually(async () => {
    const answer = await report(env, message, 'delivered', { account: other.account })
    expect(answer.status).toBe(200)
  })
  // Nor when it claims our provider's id.
  const posing = { ...other.account, providerId: demoAccount(env).providerId }
  expect((await report(env, message, 'failed', { account: posing })).status).toBe(200)
  await settled()
  expect(await stateOf(env, message.id)).toMatchObject({
    delivery_status: 'sent',
    attempts: [{ provider_id: demoAccount(env).providerId, provider_code: null }],
  })
  await report(env, message, 'delivered')
  await untilState(env, message.id, { delivery_status: 'delivered' })
})

test('the other tenant’s own messages are delivered through its own account', async () => {
  const id = (
    await env.api('POST', '/api/v1/notifications', {
      key: other.apiKey,
      body: { channel: 'sms', recipient: freshPhone(), body: 'From the other one.' },
    })
  ).body.notification_id
  await eventually(async () => {
    const { body } = await env.api('GET', `/api/v1/notifications/${id}`, { key: other.apiKey })
    expect(body).toMatchObject({ delivery_status: 'delivered', attempts: [{ provider_id: other.account.providerId }] })
  })
  expect((await env.api('GET', `/api/v1/notifications/${id}`)).status).toBe(404)
})

test('a provider whose secret cannot be read stops only the callbacks that it alone could verify', async () => {
  const message = await silentMessage()
  const addUnreadable = (id: string) =>
    env.admin.query(
      `insert into callbacks.providers (id, tenant_id, kind, revision, account_id, credentials)
       values ($1, $2, 'twilio', 1, $3, 'of a key that is gone')`,
      [newId('prov'), newId('ten'), id],
    )
  await addUnreadable(demoAccount(env).sid)
  const alone = { ...demoAccount(env), sid: `AC${'7'.repeat(32)}` }
  await addUnreadable(alone.sid)
  const forged = { ...demoAccount(env), authToken: 'x'.repeat(32) }
  await eventually(async () => {
    for (const account of [forged, alone]) {
      expectProblem(await report(env, message, 'failed', { account }), 503, 'service_unavailable')
    }
  })
  expect((await report(env, message, 'delivered')).body).toEqual({ status: 'recorded' })
  await untilState(env, message.id, { delivery_status: 'delivered' })
  await env.admin.query(`delete from callbacks.providers where credentials = 'of a key that is gone'`)
  await eventually(async () =>
    expectProblem(await report(env, message, 'failed', { account: forged }), 403, 'invalid_signature'),
  )
})

describe('a form that cannot be one is refused before anything is looked up', () => {
  const post = (raw: string | Uint8Array, type = 'application/x-www-form-urlencoded') =>
    env.api('POST', '/api/v1/callbacks/smsprovider/sms', { key: null, raw, headers: { 'content-type': type } })

  test.each<[string, string | Uint8Array]>([
    ['an empty body', ''],
    ['no account', 'MessageSid=SM1&MessageStatus=sent'],
    ['no status', 'AccountSid=AC1&MessageSid=SM1'],
    ['NUL in the account', 'AccountSid=AC%00&MessageSid=SM1&MessageStatus=sent'],
    ['NUL in the message', 'AccountSid=AC1&MessageSid=SM%001&MessageStatus=sent'],
    ['a field given twice', 'AccountSid=AC1&AccountSid=AC2&MessageSid=SM1&MessageStatus=sent'],
    ['bytes', Buffer.from([0xff, 0x00, 0x26, 0x3d])],
    ['a long identifier', `AccountSid=AC1&MessageSid=${'S'.repeat(5000)}&MessageStatus=sent`],
  ])('%s', async (_what, raw) => {
    expectProblem(await post(raw), 422, 'validation_failed')
  })

  test('JSON is 415, and 65 KB are 413', async () => {
    expectProblem(await post('{}', 'application/json'), 415, 'unsupported_media_type')
    expectProblem(await post('x'.repeat(65 * 1024)), 413, 'payload_too_large')
  })

  test('a bearer token makes no difference', async () => {
    const answer = await env.api('POST', '/api/v1/callbacks/smsprovider/sms', {
      raw: new URLSearchParams(statusFields(demoAccount(env), 'sent')).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${env.apiKey}` },
    })
    expectProblem(answer, 403, 'invalid_signature')
  })
})
