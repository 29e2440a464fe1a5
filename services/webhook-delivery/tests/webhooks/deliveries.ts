import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { verifyWebhook } from '@notify/sdk'
import { untilActivity } from '@notify/test-kit/activity'
import { post, untilState } from '@notify/test-kit/api'
import { addKey } from '@notify/test-kit/callers'
import { freshPhone, send } from '@notify/test-kit/sms'
import {
  expectDocumented,
  freshPath,
  received,
  subscribe,
  untilDelivery,
  untilReceived,
} from '@notify/test-kit/webhooks'
import { env, operator } from './stack.ts'

test('the service exports how long due webhooks have waited for a worker', async () => {
  const exported = await (await fetch(env.stack.metricsUrls['webhook-delivery']!)).text()
  expect(exported).toMatch(/^webhook_endpoints_overdue_seconds \d/m)
})

test('a delivered and a failed notification are delivered to their subscriber, signed', async () => {
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
  for (const one of [first!, second]) expectDocumented(one)
  await untilDelivery(env, subscription_id, { status: 'succeeded', attempts_made: 1, last_status: 200 })
})

test('a webhook without an event has the documented type, and the data and the body of its request', async () => {
  const path = freshPath('ok')
  const recipient = { url: env.stack.receiverUrl + path }
  expect((await post(env, { channel: 'webhook', recipient, body: 'New', data: { order: 'A-1' } })).status).toBe(202)
  const [only] = await untilReceived(env, path, 1)
  const { type, data } = JSON.parse(only!.body)
  expect([type, data]).toEqual(['notification', { order: 'A-1', body: 'New' }])
  expectDocumented({ body: JSON.stringify({ type, data: {} }) })
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

test('the channel webhook delivers the translation of the locale', async () => {
  const data = (greeting: string) => ({ webhook: { data: { greeting, total: '{{ total | currency: "EUR" }}' } } })
  const event = {
    ...{ event_key: 'webhook.languages', name: 'Orders', status: 'published', allowed_channels: ['webhook'] },
    ...{ templates: data('Hello'), translations: { de: data('Hallo') } },
  }
  // The first template starts the threads that render: on a busy machine it may be refused with 503.
  await eventually(async () =>
    expect((await operator('POST', `/api/v1/applications/${env.applicationId}/events`, event)).status).toBe(201),
  )
  const path = freshPath('ok')
  const request = { channel: 'webhook', event_key: event.event_key, recipient: { url: env.stack.receiverUrl + path } }
  expect((await post(env, { ...request, locale: 'de-DE', data: { total: 12.5 } })).status).toBe(202)
  const [only] = await untilReceived(env, path, 1)
  expect(JSON.parse(only!.body).data).toEqual({ greeting: 'Hallo', total: '12,50\u00a0€' })
})

test('a failed delivery is retried under the same id, every attempt is kept, and it ends exhausted', async () => {
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

test('a delivery is shown without its request and its answers when they cannot be decrypted any more', async () => {
  const { subscription_id } = await subscribe(env, freshPath('500'))
  await send(env)
  const { delivery_id } = await untilDelivery(env, subscription_id, { status: 'exhausted', attempts_made: 3 })
  const sql = env.sql('webhook-delivery')
  await sql.query(`update deliveries set body = '\\x00' where id = $1`, [delivery_id])
  await sql.query(`update attempts set response = '\\x00' where delivery_id = $1`, [delivery_id])
  const { status, body } = await operator('GET', `/api/v1/webhook-deliveries/${delivery_id}`)
  expect(status).toBe(200)
  const attempts = Array(3).fill(expect.objectContaining({ status: 500, response_excerpt: null }))
  expect(body).toMatchObject({ request: null, attempts })
})

test('a receiver that never answers is a timeout', async () => {
  const { subscription_id } = await subscribe(env, freshPath('hang'))
  await send(env)
  const { attempts } = await untilDelivery(env, subscription_id, { status: 'exhausted' })
  expect(attempts[0]).toMatchObject({ status: null, error: 'no complete answer in time' })
})

test('a message whose receiver takes its time is sent meanwhile', async () => {
  const recipient = { url: env.stack.receiverUrl + freshPath('slow') }
  const { body } = await post(env, {
    channel: 'webhook',
    event_key: 'order.shipped',
    recipient,
    data: { name: 'Ada', order: 'A-1' },
  })
  await untilState(env, body.notification_id, { delivery_status: 'delivered' })
  const { rows } = await env.sql('webhook-delivery').query(
    `select event -> 'event' ->> 'status' as status from outbox, json_array_elements(events::json) as event
     where subject = 'webhooks.notification.reported' and event -> 'event' ->> 'notification_id' = $1 order by outbox.id`,
    [body.notification_id],
  )
  expect(rows.map(({ status }) => status)).toEqual(['sent', 'delivered'])
})

test('webhook messages of test keys go to the sandbox only, and no subscriber is notified', async () => {
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
  // A live one that was sent later has arrived: the test key's would have arrived before it.
  const live = await send(env, freshPhone())
  const [only, ...more] = await untilReceived(env, told, 1)
  expect([JSON.parse(only!.body).data.notification_id, more]).toEqual([live, []])
  expect(await received(env, named)).toEqual([])
})

test('a webhook has the trace of the request that caused it', async () => {
  const path = freshPath('ok')
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  const request = { channel: 'webhook', event_key: 'order.shipped', data: { name: 'Ada', order: 'A-1' } }
  await post(env, { ...request, recipient: { url: env.stack.receiverUrl + path } }, { headers })
  const [only] = await untilReceived(env, path, 1)
  expect(only!.headers.traceparent).toContain(traceId)
})
