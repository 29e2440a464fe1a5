import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { itemOf, retry, storeItems } from '@notify/test-kit/activity'
import { expectProblem, post, postUntilTaken } from '@notify/test-kit/api'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, send } from '@notify/test-kit/sms'

let env: TestEnv

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'otp', 'webhook-delivery', 'inbox-stream'], {
    apart: ['callbacks', 'webhook-delivery'],
  })
})
afterAll(() => env?.stop())

const detail = (id: string, token = env.operatorToken) => env.api('GET', `/api/v1/activity/${id}`, { token })

/** Waits until the item is shown like this. */
function untilShown(id: string, expected: object): Promise<ApiResponse> {
  return eventually(async () => {
    const answer = await detail(id)
    expect(answer.body).toMatchObject(expected)
    return answer
  })
}

test('an item shows its attempts with provider, answer, receipts and trace, and no recipient', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const phone = freshPhone('0002')
  const sent = await post(
    env,
    { channel: 'sms', recipient: { phone }, event_key: 'order.shipped', data: { name: 'Ada', order: '7' } },
    { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } },
  )
  const id = sent.body.notification_id
  const { body, text } = await untilShown(id, { status: 'undelivered', attempts: [{ receipts: [{}, {}] }] })
  expect(body).toEqual({
    transaction_id: id,
    application_name: 'Demo Shop',
    application_id: env.applicationId,
    event_key: 'order.shipped',
    channel: 'sms',
    mode: 'live',
    recipient_masked: expect.stringContaining('***'),
    status: 'undelivered',
    failure_reason: expect.any(String),
    retryable: true,
    retry_count: 0,
    locale: null,
    requested_locale: null,
    broadcast_id: null,
    digest_id: null,
    recipient_tag: expect.stringMatching(/^[a-z0-9]{4}$/),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    trace_id: traceId,
    otp: null,
    attempts: [
      {
        delivery_id: null,
        attempt_id: expect.stringMatching(/^att_/),
        notification_id: id,
        number: 1,
        provider_id: expect.stringMatching(/^prov_/),
        provider_name: expect.any(String),
        started_at: expect.any(String),
        finished_at: expect.any(String),
        outcome: 'accepted',
        ambiguous: false,
        provider_code: '30003',
        provider_message: expect.any(String),
        provider_message_id: expect.stringMatching(/^SM/),
        receipts: [
          { status: 'sent', received_at: expect.any(String) },
          { status: 'undelivered', received_at: expect.any(String) },
        ],
      },
    ],
  })
  expect(text).not.toContain(phone.slice(2))
})

test('a notification that dispatch has deleted is shown without attempts, and is not retryable once a retry was refused as gone', async () => {
  const gone = itemOf(env, { application_id: newId('app'), status: 'undelivered', retryable: true })
  await storeItems(env, [gone])
  expect((await detail(gone.id)).body).toMatchObject({ status: 'undelivered', attempts: [], trace_id: null })
  expectProblem(await retry(env, gone.id), 409, 'not_retryable')
  expect((await detail(gone.id)).body).toMatchObject({ status: 'undelivered', retryable: false })
  const body = { application_id: gone.application_id, dry_run: true }
  const left = await env.api('POST', '/api/v1/activity/retries', { token: env.operatorToken, body })
  expect(left.body.count).toBe(0)
  expectProblem(await retry(env, newId('notif')), 404, 'not_found')
})

test('the attempts of all rounds are shown in order', async () => {
  const id = await send(env, freshPhone('0002'))
  await untilShown(id, { status: 'undelivered' })
  await env.api('POST', `/api/v1/activity/${id}/retry`, { token: env.operatorToken })
  const { body } = await untilShown(id, { status: 'undelivered', retry_count: 1, attempts: [{}, {}] })
  expect(body.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2])
})

test('a code shows the messages of all its sends and how it stands, and never the code', async () => {
  const code = '918273'
  const phone = freshPhone()
  const sent = await postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient: phone, code })
  const id = sent.body.transaction_id
  await env.api('POST', `/api/v1/otp/${id}/resend`, { body: {} })
  await env.api('POST', '/api/v1/otp/verify', { body: { transaction_id: id, code } })
  const { body, text } = await untilShown(id, { transaction_id: id, attempts: [{}, {}] })
  expect(body.otp).toEqual({
    expires_at: expect.any(String),
    verified_at: null,
    attempts_remaining: 4,
    resends_remaining: 2,
  })
  const messages = body.attempts.map(({ notification_id }: { notification_id: string }) => notification_id)
  expect(new Set(messages).size).toBe(2)
  const sandbox = (await env.call('carrier-sandbox', 'GET', `/messages?to=${encodeURIComponent(phone)}`)).body.items
  const codes = sandbox.map(({ text: message }: { text: string }) => /\d{4,10}/.exec(message)![0])
  for (const secret of [code, ...codes, phone.slice(2)]) expect(text).not.toContain(secret)
})

test('a webhook shows each call with the status of its answer', async () => {
  const url = `${env.stack.receiverUrl}/500/${crypto.randomUUID()}`
  const { body: made } = await post(env, {
    channel: 'webhook',
    event_key: 'order.shipped',
    recipient: { url },
    data: { name: 'Ada', order: '7' },
  })
  const { body } = await untilShown(made.notification_id, {
    attempts: expect.arrayContaining([expect.objectContaining({ provider_code: '500' })]),
  })
  expect(body.attempts[0]).toMatchObject({ number: 1, outcome: 'rejected_retryable', ambiguous: false, receipts: [] })
})

test('an inbox notification has no attempts: it is delivered when it is stored', async () => {
  const { body: made } = await post(env, { channel: 'in_app', recipient: 'ada', title: 'Hi', body: 'There' })
  await untilShown(made.notification_id, { status: 'delivered', attempts: [] })
})

test('there is no item of others, of codes of others, or of no one', async () => {
  const id = await send(env)
  await untilShown(id, {})
  const stranger = operatorToken(env, { tenant_id: await addEmptyTenant(env) })
  expectProblem(await detail(id, stranger), 404, 'not_found')
  for (const unknown of [newId('notif'), newId('otp'), 'x', '%00', 'retries%2F1', 'é'.repeat(100)]) {
    expectProblem(await detail(unknown), 404, 'not_found')
  }
})

test('the services tell attempts to nobody but the gateway', async () => {
  const asked = {
    'dispatch-api': ['/internal/v1/attempts/read', { tenant_id: env.tenantId, notification_ids: [] }],
    'webhook-delivery': [
      '/internal/v1/webhook-attempts/read',
      { tenant_id: env.tenantId, notification_id: newId('notif') },
    ],
    otp: ['/internal/v1/codes/read', { tenant_id: env.tenantId, transaction_id: newId('otp') }],
    callbacks: ['/internal/v1/receipts/read', { attempt_ids: [] }],
  } as const
  for (const [process, [path, body]] of Object.entries(asked)) {
    const answer = await env.call(process as keyof typeof asked, 'POST', path, { body })
    expect([process, answer.status]).toEqual([process, 401])
  }
})

test('without callbacks the attempts are shown and the receipts are unknown', async () => {
  const id = await send(env)
  await untilShown(id, { status: 'delivered' })
  await env.kill('callbacks')
  const { status, body } = await detail(id)
  expect([status, body.attempts[0].outcome, body.attempts[0].receipts]).toEqual([200, 'accepted', null])
  await env.restart('callbacks')
})
