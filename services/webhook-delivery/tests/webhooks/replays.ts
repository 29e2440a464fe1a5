import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post, untilState } from '@notify/test-kit/api'
import { send } from '@notify/test-kit/sms'
import {
  deliveriesOf,
  freshPath,
  received as receivedAt,
  subscribe,
  untilDelivery,
  untilReceived,
} from '@notify/test-kit/webhooks'
import { env, operator } from './stack.ts'

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
  await eventually(async () => expect(await deliveriesOf(env, subscription_id, '?status=exhausted')).toHaveLength(2))
  await operator('PATCH', base, { url: env.stack.receiverUrl + freshPath('ok') })
  expect((await operator('POST', `${base}/replay`, { since, dry_run: true })).body).toEqual({ count: 2 })
  const [one] = await deliveriesOf(env, subscription_id)
  const single = await operator('POST', `/api/v1/webhook-deliveries/${one.delivery_id}/replay`)
  expect(single.status).toBe(202)
  await untilDelivery(env, subscription_id, { status: 'succeeded', attempts_made: 4 })
  const arrived = await operator('POST', `/api/v1/webhook-deliveries/${one.delivery_id}/replay`)
  expect(arrived.status).toBe(202)
  await untilDelivery(env, subscription_id, { status: 'succeeded', attempts_made: 5 })
  // The key of an application may, too.
  expectProblem(
    await env.api('POST', `${base}/replay`, { key: env.apiKeySendOnly, body: { since } }),
    403,
    'permission_denied',
  )
  expect((await env.api('POST', `${base}/replay`, { body: { since } })).status).toBe(202)
  await eventually(async () => {
    expect(await deliveriesOf(env, subscription_id, '?status=succeeded')).toHaveLength(2)
    expect((await operator('GET', base)).body.replay).toMatchObject({
      count: 1,
      replayed: 1,
      finished_at: expect.any(String),
    })
  })
})

test('a delivery shows the request as it was signed', async () => {
  const path = freshPath('ok')
  const { subscription_id } = await subscribe(env, path)
  await send(env)
  const { delivery_id } = await untilDelivery(env, subscription_id, { status: 'succeeded' })
  const { body } = await operator('GET', `/api/v1/webhook-deliveries/${delivery_id}`)
  const [received] = await receivedAt(env, path)
  expect(body.request.body).toBe(received!.body)
  expect(received!.headers).toMatchObject(body.request.headers)
  expect(body.request.headers).toMatchObject({
    'content-type': 'application/json',
    'x-svc-id': expect.stringMatching(/^msg_/),
  })
})

/** A message of the channel webhook that has arrived, with its delivery. */
async function arrived(url: string) {
  const data = { name: 'Ada', order: '7' }
  const sent = await post(env, { channel: 'webhook', event_key: 'order.shipped', recipient: { url }, data })
  const id = sent.body.notification_id as string
  await untilState(env, id, { delivery_status: 'delivered' })
  const found = 'select id from deliveries where notification_id = $1 and subscription_id is null'
  const { rows } = await env.sql('webhook-delivery').query(found, [id])
  return { id, path: `/api/v1/webhook-deliveries/${rows[0].id}`, delivery_id: rows[0].id as string }
}

/** Leases the endpoint of a delivery, as another process would, once nobody has it. @returns ends the lease */
async function holdEndpointOf(deliveryId: string): Promise<() => Promise<unknown>> {
  const lease = (until: string, where: string) =>
    env.sql('webhook-delivery').query(
      `update endpoints set leased_until = ${until}
       where id = (select endpoint_id from deliveries where id = $1) and ${where} returning id`,
      [deliveryId],
    )
  await eventually(async () =>
    expect((await lease(`now() + interval '1 hour'`, 'leased_until is null')).rows).toHaveLength(1),
  )
  return () => lease('null', 'true')
}

test('a message of the channel webhook that has arrived is replayed with the same body and id under a new signature, and audited', async () => {
  const path = freshPath('ok')
  const { id, path: own, delivery_id } = await arrived(env.stack.receiverUrl + path)
  const headers = { 'x-svc-id': `msg_${id.slice('notif_'.length)}` }
  const shown = (await operator('GET', own)).body
  expect(shown).toMatchObject({ status: 'succeeded', request: { headers, body: null } })
  const [first] = await receivedAt(env, path)
  // The time of a signature has seconds.
  await eventually(() => expect(Date.now()).toBeGreaterThan(Date.parse(first!.received_at) + 1000))
  const letSend = await holdEndpointOf(delivery_id)
  expect((await operator('POST', `${own}/replay`)).status).toBe(202)
  expectProblem(await operator('POST', `${own}/replay`), 409, 'not_replayable')
  await letSend()
  const [, second] = await untilReceived(env, path, 2)
  expect([second!.body, second!.verified]).toEqual([first!.body, true])
  for (const same of ['x-svc-id', 'webhook-id']) expect(second!.headers[same]).toBe(first!.headers[same])
  for (const fresh of ['x-svc-timestamp', 'x-svc-signature', 'webhook-timestamp', 'webhook-signature'])
    expect(second!.headers[fresh]).not.toBe(first!.headers[fresh])
  await eventually(async () => {
    const { attempts } = (await operator('GET', `/api/v1/activity/${id}`)).body
    expect(attempts).toMatchObject([
      { number: 1, delivery_id, outcome: 'accepted' },
      { number: 2, delivery_id, outcome: 'accepted' },
    ])
    const { body } = await operator('GET', `/api/v1/audit-log?resource_id=${delivery_id}`)
    expect(body.items).toMatchObject([{ action: 'webhook_delivery.replayed', before: { status: 'succeeded' } }])
  })
})
