import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addApplication, addKey } from '@notify/test-kit/other-callers'
import { freshPhone, post, send, untilActivity, untilState } from '@notify/test-kit/sms'
import { deliveriesOf, freshPath, received, subscribe, untilDelivery, untilReceived } from '@notify/test-kit/webhooks'
import { newId } from '../../../packages/contracts/src/index.ts'
import { eventually, TestEnv } from '../../../packages/dev-env/src/index.ts'
import { verifyWebhook } from '../../../packages/sdk/src/index.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery'], {
    env: { 'webhook-delivery': { WEBHOOK_RETRY_DELAYS: '50ms,50ms', WEBHOOK_TIMEOUT: '1s' } },
  })
})
afterAll(() => env?.stop())

const operator = (method: string, path: string, body?: unknown) =>
  env.api(method, path, { token: env.operatorToken, ...(body === undefined ? {} : { body }) })

test('a delivered and a failed notification are told to their subscriber, signed', async () => {
  const path = freshPath('ok')
  const { secret, subscription_id } = await subscribe(env, path)
  const metadata = { cart: 'c-17' }
  const good = await send(env, freshPhone(), { metadata })
  const [first] = await untilReceived(env, path, 1)
  expect(JSON.parse(first!.body)).toEqual({
    id: first!.headers['x-svc-id'],
    type: 'notification.delivered',
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    application_id: env.applicationId,
    data: {
      notification_id: good,
      channel: 'sms',
      event_key: null,
      status: 'delivered',
      failure_reason: null,
      recipient_masked: expect.stringContaining('*'),
      occurred_at: expect.stringMatching(/\.\d{3}Z$/),
      metadata,
    },
  })
  expect(first!.verified).toBe(true)
  expect(verifyWebhook(first!.headers, first!.body, secret)).toMatchObject({ type: 'notification.delivered' })
  const bad = await send(env, freshPhone('0002'))
  const second = (await untilReceived(env, path, 2)).at(-1)!
  expect(JSON.parse(second.body)).toMatchObject({
    type: 'notification.failed',
    data: { notification_id: bad, status: 'undelivered' },
  })
  await untilDelivery(env, subscription_id, { status: 'succeeded', attempts_made: 1, last_status: 200 })
})

test('a deleted application takes its subscriptions along, which the audit log tells', async () => {
  const { body: application } = await operator('POST', '/api/v1/applications', { name: 'Short-lived' })
  const { application_id } = application
  const url = env.stack.receiverUrl + freshPath('ok')
  const request = { application_id, url, events: ['notification.delivered'] }
  const { body: subscription } = await operator('POST', '/api/v1/webhook-subscriptions', request)
  const { subscription_id } = subscription
  const other = await subscribe(env, freshPath('ok'))
  await operator('DELETE', `/api/v1/applications/${application_id}`)
  await eventually(async () => {
    expect((await operator('GET', `/api/v1/webhook-subscriptions/${subscription_id}`)).status).toBe(404)
  })
  expect((await operator('GET', `/api/v1/webhook-subscriptions/${other.subscription_id}`)).status).toBe(200)
  await eventually(async () => {
    const { body } = await operator('GET', `/api/v1/audit-log?resource_id=${subscription_id}`)
    expect(body.items[0]).toMatchObject({
      action: 'webhook_subscription.deleted',
      actor: { kind: 'service', id: 'webhook-delivery' },
      after: null,
    })
  })
})

test('the channel webhook delivers the filled template, signed by its provider, and the outcome comes back', async () => {
  const path = freshPath('ok')
  const url = env.stack.receiverUrl + path
  const request = {
    channel: 'webhook',
    event_key: 'order.shipped',
    recipient: { url },
    data: { name: 'Ada', order: 'A-1' },
  }
  const { status, body } = await post(env, request)
  expect(status).toBe(202)
  const [only] = await untilReceived(env, path, 1)
  expect(JSON.parse(only!.body)).toMatchObject({
    type: 'order.shipped',
    data: { order: 'A-1', customer: 'Ada', status: 'shipped' },
  })
  expect(only!.verified).toBe(true)
  await untilState(env, body.notification_id, { delivery_status: 'delivered', channel: 'webhook' })
  const failing = await post(env, { ...request, recipient: { url: env.stack.receiverUrl + freshPath('410') } })
  await untilActivity(env, failing.body.notification_id, {
    status: 'failed',
    failure_reason: 'the receiver answered 410',
    retryable: false,
    recipient_masked: `${env.stack.receiverUrl}/***`,
  })
  const { body: activity } = await operator('GET', `/api/v1/activity/${failing.body.notification_id}`)
  expect(activity.attempts).toMatchObject([{ outcome: 'rejected_permanent', provider_code: '410' }])
})

test('what fails is tried again under the same id, every attempt is kept, and it ends exhausted', async () => {
  const path = freshPath('500')
  const { subscription_id } = await subscribe(env, path)
  await send(env)
  const delivery = await untilDelivery(env, subscription_id, { status: 'exhausted', attempts_made: 3 })
  expect(delivery.attempts).toHaveLength(3)
  expect(delivery.attempts[0]).toMatchObject({
    number: 1,
    status: 500,
    error: 'the receiver answered 500',
    response_excerpt: 'as asked: 500',
    duration_ms: expect.any(Number),
  })
  const requests = await received(env, path)
  expect(new Set(requests.map(({ headers }) => headers['x-svc-id'])).size).toBe(1)
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
  expect(requests.every(({ verified }) => verified)).toBe(true)
})

test('a receiver that never answers is a timeout', async () => {
  const { subscription_id } = await subscribe(env, freshPath('hang'))
  await send(env)
  const { attempts } = await untilDelivery(env, subscription_id, { status: 'exhausted' }, 20_000)
  expect(attempts[0]).toMatchObject({ status: null, error: 'no complete answer in time' })
})

test('410 disables the subscription, which the audit log shows as done by the service', async () => {
  const { subscription_id } = await subscribe(env, freshPath('410'))
  await send(env)
  await eventually(async () => {
    const { body } = await operator('GET', `/api/v1/webhook-subscriptions/${subscription_id}`)
    expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  })
  await eventually(async () => {
    const { body } = await operator('GET', `/api/v1/audit-log?resource_id=${subscription_id}`)
    expect(body.items[0]).toMatchObject({
      actor: { kind: 'service', id: 'webhook-delivery' },
      action: 'webhook_subscription.disabled',
      application_id: env.applicationId,
      before: { status: 'active', disabled_reason: null },
      after: { status: 'disabled', disabled_reason: 'gone' },
      request_id: null,
    })
  })
})

test('a rotated secret signs beside the new one, and the secret is shown once', async () => {
  const path = freshPath('ok')
  const { secret, subscription_id } = await subscribe(env, path)
  const rotated = await operator('POST', `/api/v1/webhook-subscriptions/${subscription_id}/rotate-secret`)
  expect(rotated.status).toBe(200)
  expect(rotated.body.secret).not.toBe(secret)
  const tried = await operator('POST', `/api/v1/webhook-subscriptions/${subscription_id}/test`)
  expect(tried.status).toBe(202)
  const [only] = await untilReceived(env, path, 1)
  for (const one of [secret, rotated.body.secret]) {
    expect(verifyWebhook(only!.headers, only!.body, one)).toMatchObject({ type: 'webhook.test' })
  }
  const { body, text } = await operator('GET', `/api/v1/webhook-subscriptions/${subscription_id}`)
  expect([body.secret, text.includes('whsec_')]).toEqual([undefined, false])
})

test('the provider that a subscription makes is one of the tenant: listed, rotated at either end, gone with it', async () => {
  const path = freshPath('ok')
  const made = await subscribe(env, path)
  const subscription = `/api/v1/webhook-subscriptions/${made.subscription_id}`
  const provider = `/api/v1/providers/${made.provider_id}`
  const shown = (secret: string) => ({
    provider_id: made.provider_id,
    subscription_id: made.subscription_id,
    application_id: env.applicationId,
    kind: 'webhook',
    credentials: expect.objectContaining({ secret: `****${secret.slice(-4)}` }),
  })
  await eventually(async () => expect((await operator('GET', provider)).body).toMatchObject(shown(made.secret)))
  const { items } = (await operator('GET', '/api/v1/providers?channel=webhook&limit=100')).body
  expect(items).toContainEqual(expect.objectContaining(shown(made.secret)))

  const refused = await operator('DELETE', provider)
  expect([refused.status, refused.body.code]).toEqual([409, 'provider_in_use'])
  const second = await operator('POST', '/api/v1/webhook-subscriptions', {
    application_id: env.applicationId,
    url: env.stack.receiverUrl + path,
    events: ['notification.failed'],
    provider_id: made.provider_id,
  })
  expect([second.status, second.body.errors?.[0]?.path]).toEqual([422, 'provider_id'])

  const there = (await operator('POST', `${provider}/rotate-secret`)).body.secret
  await untilSignedWith([there, made.secret])
  const here = (await operator('POST', `${subscription}/rotate-secret`)).body.secret
  await eventually(async () => expect((await operator('GET', provider)).body).toMatchObject(shown(here)))
  await untilSignedWith([here, there])

  expect((await operator('DELETE', subscription)).status).toBe(204)
  await eventually(async () => expect((await operator('GET', provider)).status).toBe(404))

  async function untilSignedWith(secrets: string[]) {
    await eventually(
      async () => {
        const before = (await received(env, path)).length
        await operator('POST', `${subscription}/test`)
        const newest = (await untilReceived(env, path, before + 1)).at(-1)!
        for (const secret of secrets) expect(() => verifyWebhook(newest.headers, newest.body, secret)).not.toThrow()
      },
      { timeoutMs: 20_000 },
    )
  }
}, 60_000)

test.each([
  ['0000-01-01T00:00:00Z', 422],
  ['9999-12-31T23:59:59Z', 422],
  ['2026-01-01T00:00:00+23:59', 200],
])('a replay since %s is answered %i', async (since, status) => {
  const { subscription_id } = await subscribe(env, freshPath('ok'))
  const path = `/api/v1/webhook-subscriptions/${subscription_id}/replay`
  expect((await operator('POST', path, { since, dry_run: true })).status).toBe(status)
})

test('exhausted deliveries are counted, and replayed one by one and by their time', async () => {
  const path = freshPath('500')
  const since = new Date().toISOString()
  const { subscription_id } = await subscribe(env, path)
  const base = `/api/v1/webhook-subscriptions/${subscription_id}`
  await Promise.all([send(env), send(env)])
  await eventually(async () => expect(await deliveriesOf(env, subscription_id, '?status=exhausted')).toHaveLength(2), {
    timeoutMs: 15_000,
  })
  await operator('PATCH', base, { url: env.stack.receiverUrl + freshPath('ok') })
  expect((await operator('POST', `${base}/replay`, { since, dry_run: true })).body).toEqual({ count: 2 })
  const [one] = await deliveriesOf(env, subscription_id)
  const single = await operator('POST', `/api/v1/webhook-deliveries/${one.delivery_id}/replay`)
  expect(single.status).toBe(202)
  await untilDelivery(env, subscription_id, { status: 'succeeded', attempts_made: 4 })
  expect((await operator('POST', `/api/v1/webhook-deliveries/${one.delivery_id}/replay`)).body.code).toBe(
    'not_replayable',
  )
  expect((await operator('POST', `${base}/replay`, { since })).status).toBe(202)
  await eventually(async () => {
    expect(await deliveriesOf(env, subscription_id, '?status=succeeded')).toHaveLength(2)
    expect((await operator('GET', base)).body.replay).toMatchObject({
      count: 1,
      replayed: 1,
      finished_at: expect.any(String),
    })
  })
})

test.each([
  'http://example.com/',
  'https://localhost/',
  'https://127.0.0.1/',
  'https://169.254.169.254/',
  'https://example.com:22/',
  'https://example.com:65536/',
  'https://user@example.com/',
  'https://intranet/',
  'https://[::1]/',
  'https://2130706433/',
  `https://example.com/${'a'.repeat(2030)}`,
])('%s can neither be subscribed nor sent to', async (url) => {
  const subscription = await operator('POST', '/api/v1/webhook-subscriptions', {
    application_id: env.applicationId,
    url,
    events: ['notification.failed'],
  })
  expect([subscription.status, subscription.body.code]).toEqual([422, 'destination_not_allowed'])
  const sent = await post(env, {
    channel: 'webhook',
    event_key: 'order.shipped',
    recipient: { url },
    data: { name: 'A', order: 'B' },
  })
  expect([sent.status, sent.body.code]).toEqual([422, 'invalid_recipient'])
})

test.each([
  ['a private address', 'rebind.example.com'],
  ['a public address and a private one', 'mixed.example.com'],
  ['an alias of a name with a private address', 'alias.example.com'],
  ['loopback in IPv6', 'six.example.com'],
])('a name that resolves to %s is refused at delivery, for good, without a word about it', async (_what, name) => {
  await env.setDns([
    { type: 'A', name: 'rebind.example.com', value: '10.0.0.7' },
    { type: 'A', name: 'mixed.example.com', value: '8.8.8.8' },
    { type: 'A', name: 'mixed.example.com', value: '10.0.0.7' },
    { type: 'CNAME', name: 'alias.example.com', value: 'chain.example.com' },
    { type: 'CNAME', name: 'chain.example.com', value: 'rebind.example.com' },
    { type: 'AAAA', name: 'six.example.com', value: '::1' },
  ])
  const { subscription_id } = await subscribe(env, '', { url: `https://${name}/hook` })
  await send(env)
  const delivery = await untilDelivery(env, subscription_id, { status: 'exhausted', attempts_made: 1 })
  expect(delivery.attempts[0].error).toBe('destination not allowed')
  expect(JSON.stringify(delivery)).not.toMatch(/10\.0\.0\.7|::1/)
})

test('what test keys send by webhook goes to the sandbox alone, and no subscriber is told of it', async () => {
  const { apiKey } = await addKey(env, env, { mode: 'test' })
  const [named, told] = [freshPath('ok'), freshPath('ok')]
  await subscribe(env, told)
  const order = `T-${Math.random()}`
  const request = { channel: 'webhook', event_key: 'order.shipped', data: { name: 'Ada', order } }
  const sent = await post(env, { ...request, recipient: { url: env.stack.receiverUrl + named } }, { key: apiKey })
  expect(sent.status).toBe(202)
  await eventually(async () => {
    const toSandbox = await received(env, '/ok/test-mode')
    expect(toSandbox.map(({ body }) => JSON.parse(body).data.order)).toContain(order)
  })
  await eventually(async () => {
    const { body } = await env.api('GET', `/api/v1/notifications/${sent.body.notification_id}`, { key: apiKey })
    expect(body).toMatchObject({ delivery_status: 'delivered' })
  })
  // A live one that is sent later has arrived: the test key's would have been told of before.
  const live = await send(env, freshPhone())
  const [only, ...more] = await untilReceived(env, told, 1)
  expect([JSON.parse(only!.body).data.notification_id, more]).toEqual([live, []])
  expect(await received(env, named)).toEqual([])
})

test('an operator subscribes for applications of his tenant alone', async () => {
  const tenantId = newId('ten')
  await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
  const other = await addApplication(env, tenantId)
  for (const application_id of [other.applicationId, newId('app')]) {
    const body = { application_id, url: 'https://example.com/', events: ['notification.failed'] }
    const { status, body: answer } = await operator('POST', '/api/v1/webhook-subscriptions', body)
    expect([status, answer.code, answer.errors?.[0]?.path]).toEqual([422, 'validation_failed', 'application_id'])
  }
})

test('a webhook bears the trace of the request that caused it', async () => {
  const path = freshPath('ok')
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const request = { channel: 'webhook', event_key: 'order.shipped', data: { name: 'Ada', order: 'A-1' } }
  await post(env, { ...request, recipient: { url: env.stack.receiverUrl + path } }, { headers })
  const [only] = await untilReceived(env, path, 1)
  expect(only!.headers.traceparent).toContain(traceId)
})

test('an application’s key sees its own subscriptions alone, and a disabled one gets nothing', async () => {
  const path = freshPath('ok')
  const made = await env.api('POST', '/api/v1/webhook-subscriptions', {
    body: { url: env.stack.receiverUrl + path, events: ['notification.delivered'] },
  })
  expect([made.status, made.body.application_id]).toEqual([201, env.applicationId])
  const base = `/api/v1/webhook-subscriptions/${made.body.subscription_id}`
  expect((await env.api('GET', base, { key: env.apiKeySendOnly })).status).toBe(403)
  const disabled = await env.api('PATCH', base, { body: { status: 'disabled' } })
  expect(disabled.body).toMatchObject({ status: 'disabled', disabled_reason: 'operator' })
  expect((await env.api('POST', `${base}/test`)).body.code).toBe('subscription_disabled')
  expect((await env.api('DELETE', base)).status).toBe(204)
  expect((await env.api('GET', base)).status).toBe(404)
})
