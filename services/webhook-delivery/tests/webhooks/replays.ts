import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { send } from '@notify/test-kit/sms'
import { deliveriesOf, freshPath, subscribe, untilDelivery } from '@notify/test-kit/webhooks'
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
