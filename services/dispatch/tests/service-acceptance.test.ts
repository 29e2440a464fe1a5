import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId, type Principal } from '@notify/contracts'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { retry } from '@notify/test-kit/activity'
import { expectProblem, stateOf, untilState } from '@notify/test-kit/api'
import { newKeyPrincipal } from '@notify/test-kit/callers'
import { refuses, type StubCarrier, startStubCarrier, takes } from '@notify/test-kit/carriers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

const otp: Principal = { kind: 'service', service: 'otp', permissions: ['notifications:accept'] }

let carrier: StubCarrier
let env: TestEnv
let token: string
beforeAll(async () => {
  carrier = await startStubCarrier()
  carrier.answer = takes
  env = await TestEnv.start(['gateway', 'dispatch', 'otp'], {
    env: { 'dispatch-worker': { TWILIO_API_URL: carrier.url, SEND_RETRY_DELAYS: '1h,1h' } },
  })
  token = await (await createPrincipalSigner(env.stack.state.otp_signing_key, 'otp'))(otp)
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})
afterEach(() => {
  carrier.answer = takes
})

type Item = Record<string, unknown> & { notification_id: string; request: unknown }

function itemTo(phone: string, fields: object = {}): Item {
  return {
    notification_id: newId('notif'),
    tenant_id: env.tenantId,
    application_id: env.applicationId,
    mode: 'live',
    lane: 'otp',
    request: smsTo(phone),
    ...fields,
  }
}

function accept(items: readonly Item[], principal: string | undefined = token): Promise<ApiResponse> {
  const headers = principal === undefined ? {} : { [principalHeader]: principal }
  return env.call('dispatch-api', 'POST', '/internal/v1/notifications', { headers, body: { items } })
}

const answerTo = ({ notification_id }: Item) => ({
  status: 'accepted',
  notification_id,
  channel: 'sms',
  delivery_status: 'queued',
})

/** The answers of a call, as the public route would give them. */
async function answersTo(items: readonly Item[]): Promise<unknown[]> {
  const { status, body } = await accept(items)
  expect(status).toBe(200)
  return body.results.map((one: { body?: string; problem?: { code: string } }) =>
    one.body === undefined ? one.problem?.code : JSON.parse(one.body),
  )
}

const rowOf = async (id: string) =>
  (await env.admin.query('select * from dispatch.notifications where id = $1', [id])).rows[0]

const sentTo = (phone: string) => carrier.received.filter((form) => form.get('To') === phone)

test("a service's message goes through its lane to the carrier, for the application", async () => {
  const [text, event] = [freshPhone(), freshPhone()]
  const byEvent = {
    channel: 'sms',
    recipient: event,
    event_key: 'order.shipped',
    data: { order: 'A-1', name: 'Ada' },
  }
  const items = [itemTo(text), itemTo(event, { request: byEvent })]
  expect(await answersTo(items)).toEqual(items.map(answerTo))
  for (const { notification_id } of items) {
    await untilState(env, notification_id, { delivery_status: 'sent' })
    expect(await rowOf(notification_id)).toMatchObject({ lane: 'otp', application_id: env.applicationId })
  }
  expect([sentTo(text), sentTo(event)].map(({ length }) => length)).toEqual([1, 1])
})

test('an id is accepted once, however often and at whatever moment it comes, and answered the same', async () => {
  const phone = freshPhone()
  const item = itemTo(phone)
  // They take turns, and none waits for its own longer than three seconds: then it comes again.
  const untilAnswered = () =>
    eventually(async () => {
      const got = await answersTo([item, item])
      for (const late of ['idempotency_in_progress', 'service_unavailable']) expect(got).not.toContain(late)
      return got
    })
  const answers = await Promise.all(Array.from({ length: 10 }, untilAnswered))
  expect(answers.flat()).toEqual(Array.from({ length: 20 }, () => answerTo(item)))
  await untilState(env, item.notification_id, { delivery_status: 'sent' })
  expect(await answersTo([item])).toEqual([answerTo(item)])
  expect(sentTo(phone)).toHaveLength(1)
})

test('a repetition is answered the same when the first would be refused by now', async () => {
  const item = itemTo(freshPhone(), {
    request: {
      channel: 'sms',
      recipient: freshPhone(),
      event_key: 'order.shipped',
      data: { order: 'A-2', name: 'Ada' },
    },
  })
  expect(await answersTo([item])).toEqual([answerTo(item)])
  await env.admin.query(`update dispatch.events set allowed_channels = '{email}' where event_key = 'order.shipped'`)
  try {
    await eventually(async () => {
      const fresh = { ...item, notification_id: newId('notif') }
      expect(await answersTo([fresh, item])).toEqual(['channel_not_allowed', answerTo(item)])
    })
  } finally {
    await env.admin.query(
      `update dispatch.events set allowed_channels = '{sms,email}' where event_key = 'order.shipped'`,
    )
  }
})

test('the id of another notification is refused for every caller', async () => {
  const item = itemTo(freshPhone())
  await answersTo([item])
  const others = [{ tenant_id: newId('ten') }, { application_id: newId('app') }, { mode: 'test' }, { lane: 'bulk' }]
  for (const other of others) expect(await answersTo([{ ...item, ...other }])).toEqual(['idempotency_conflict'])
  const fresh = itemTo(freshPhone())
  expect(await answersTo([fresh, { ...fresh, mode: 'test' }, fresh])).toEqual([
    answerTo(fresh),
    'idempotency_conflict',
    answerTo(fresh),
  ])
})

test('each item is refused alone, with the code of the public route', async () => {
  const stopped = freshPhone()
  await env.api('POST', '/api/v1/suppressions', {
    token: env.operatorToken,
    body: { channel: 'sms', recipient: stopped },
  })
  const good = itemTo(freshPhone())
  const items = [
    itemTo(stopped),
    itemTo(freshPhone(), { tenant_id: newId('ten') }),
    itemTo(freshPhone(), { request: { channel: 'sms', recipient: '+1' } }),
    itemTo('12'),
    itemTo(freshPhone(), { request: smsTo(freshPhone(), { body: undefined, event_key: 'no.such.event' }) }),
    itemTo(freshPhone(), { request: smsTo(freshPhone(), { priority: 'bulk' }) }),
    itemTo(freshPhone(), { request: smsTo(freshPhone(), { send_at: '2030-01-01T00:00:00Z' }) }),
    itemTo(freshPhone(), { request: smsTo(freshPhone(), { body: 'a\0b' }) }),
    good,
  ]
  expect(await answersTo(items)).toEqual([
    'recipient_suppressed',
    'provider_not_configured',
    'validation_failed',
    'invalid_recipient',
    'event_not_found',
    'validation_failed',
    'validation_failed',
    'validation_failed',
    answerTo(good),
  ])
})

test('only a service that may, by its own key, is let in', async () => {
  const { state } = env.stack
  const gateway = await createPrincipalSigner(state.principal_signing_key)
  const ids = { tenant_id: env.tenantId as `ten_${string}`, application_id: env.applicationId as `app_${string}` }
  const key = newKeyPrincipal(ids)
  const byOtp = await createPrincipalSigner(state.otp_signing_key, 'otp')
  const stranger = await createPrincipalSigner({ ...state.otp_signing_key, kid: 'otp-unknown' }, 'otp')
  const refused: [string | undefined, number, string][] = [
    ['', 401, 'unauthenticated'],
    [await stranger(otp), 401, 'unauthenticated'],
    [await gateway(otp), 401, 'unauthenticated'],
    [await byOtp(key), 401, 'unauthenticated'],
    [await byOtp({ ...otp, service: 'gateway' } as Principal), 401, 'unauthenticated'],
    [await byOtp({ ...otp, permissions: [] } as Principal), 403, 'permission_denied'],
    [await gateway(key), 403, 'permission_denied'],
  ]
  for (const [principal, status, code] of refused) {
    expectProblem(await accept([itemTo(freshPhone())], principal), status, code)
  }
})

test('the gateway does not lead anybody there', async () => {
  const path = '/internal/v1/notifications'
  const request = { headers: { [principalHeader]: token }, body: { items: [itemTo(freshPhone())] } }
  expectProblem(await env.api('POST', path, request), 404, 'not_found')
})

test('a message that expires before its next attempt fails then, without another call', async () => {
  carrier.answer = refuses(503, 20503, 'Service unavailable')
  const phone = freshPhone()
  const item = itemTo(phone, { expires_at: new Date(Date.now() + 3_600_000).toISOString() })
  await answersTo([item])
  await untilState(env, item.notification_id, { attempts: [{ outcome: 'rejected_retryable' }] })
  carrier.answer = takes
  const moved = `update dispatch.notifications set expires_at = expires_at - interval '1 hour' where id = $1`
  await env.admin.query(moved, [item.notification_id])
  const state = await untilState(env, item.notification_id, { delivery_status: 'failed', failure_reason: 'expired' })
  expect(state).toMatchObject({ retryable: false })
  expect(sentTo(phone)).toHaveLength(1)
  expect(await rowOf(item.notification_id)).toMatchObject({ payload: null })
  const refusal = await retry(env, item.notification_id)
  expectProblem(refusal, 409, 'not_retryable')
  expect(refusal.body.detail).toMatch(/expired/)
})

test('a message that expires before it is claimed is never sent, and its repetition is still accepted', async () => {
  const phone = freshPhone()
  const item = itemTo(phone, { expires_at: '2026-01-01T00:00:00+01:00' })
  expect(await answersTo([item])).toEqual([answerTo(item)])
  await untilState(env, item.notification_id, { delivery_status: 'failed', failure_reason: 'expired', attempts: [] })
  expect(await answersTo([item])).toEqual([answerTo(item)])
  expect(sentTo(phone)).toEqual([])
})

test('content that is to be erased is gone once a carrier took it or refused it, and is not sent again', async () => {
  const sent = itemTo(freshPhone(), { erase_when_terminal: true, lane: 'transactional' })
  await answersTo([sent])
  await untilState(env, sent.notification_id, { delivery_status: 'sent' })
  expect(await rowOf(sent.notification_id)).toMatchObject({ payload: null, status: 'sent' })
  carrier.answer = refuses(400, 21211, 'Invalid number')
  const failed = itemTo(freshPhone(), { erase_when_terminal: true, lane: 'transactional' })
  await answersTo([failed])
  await untilState(env, failed.notification_id, { delivery_status: 'failed' })
  expect(await rowOf(failed.notification_id)).toMatchObject({ payload: null, retryable: false })
  const refusal = await retry(env, failed.notification_id)
  expectProblem(refusal, 409, 'not_retryable')
  expect(refusal.body.detail).toMatch(/erased/)
  expect((await stateOf(env, failed.notification_id)).attempts).toHaveLength(1)
})

test('a message that another one replaces is not sent again; one of another lane is not replaced', async () => {
  carrier.answer = refuses(503, 20503, 'Service unavailable')
  const [phone, other] = [freshPhone(), freshPhone()]
  const [first, kept] = [itemTo(phone), itemTo(other, { lane: 'transactional' })]
  await answersTo([first, kept])
  for (const { notification_id } of [first, kept])
    await untilState(env, notification_id, { attempts: [{ outcome: 'rejected_retryable' }] })
  carrier.answer = takes
  const second = itemTo(phone, { replaces: [first.notification_id, kept.notification_id] })
  expect(await answersTo([second])).toEqual([answerTo(second)])
  await untilState(env, first.notification_id, { delivery_status: 'failed', failure_reason: 'expired' })
  await untilState(env, second.notification_id, { delivery_status: 'sent' })
  expect(sentTo(phone)).toHaveLength(2)
  expect(await rowOf(kept.notification_id)).toMatchObject({ status: 'queued', expires_at: null })
})
