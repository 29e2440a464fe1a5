import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { expectProblem, post, stateOf, untilState } from '@notify/test-kit/api'
import { addApplication } from '@notify/test-kit/callers'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString()
const anHour = 3_600_000
const cancel = (id: string, headers: Record<string, string> = {}, token = env.apiKey) =>
  env.api('POST', `/api/v1/notifications/${id}/cancel`, { token, headers })

test('a message for later is scheduled, sent when its time has come, and not before', async () => {
  const to = freshPhone()
  const { status, body } = await post(env, smsTo(to, { send_at: ahead(anHour) }))
  expect([status, body.delivery_status]).toEqual([202, 'scheduled'])
  await untilActivity(env, body.notification_id, { status: 'scheduled' })
  // The hour passes, but for a second.
  const { rows } = await env.admin.query(
    `update dispatch.notifications set (send_at, next_attempt_at) = (soon, soon)
     from (select date_trunc('milliseconds', now()) + interval '1 s' as soon) as clock where id = $1 returning send_at`,
    [body.notification_id],
  )
  const sendAt = rows[0].send_at.toISOString()
  await untilState(env, body.notification_id, { delivery_status: 'delivered', send_at: sendAt })
  const [message] = await env.messages({ to })
  expect(Date.parse(message!.received_at)).toBeGreaterThanOrEqual(Date.parse(sendAt))
  await untilActivity(env, body.notification_id, { status: 'delivered' })
})

test('a scheduled message can be cancelled and is never sent', async () => {
  const to = freshPhone()
  const id = await send(env, to, { send_at: ahead(anHour) })
  const { status, body } = await cancel(id)
  expect([status, body]).toEqual([
    200,
    { notification_id: id, delivery_status: 'cancelled', cancelled_at: expect.any(String) },
  ])
  await untilActivity(env, id, { status: 'cancelled', retryable: false })
  expectProblem(await cancel(id), 409, 'not_cancellable')
  expect(await env.messages({ to })).toEqual([])
})

test('with an Idempotency-Key a cancellation is answered again as before', async () => {
  const id = await send(env, freshPhone(), { send_at: ahead(anHour) })
  const first = await cancel(id, { 'idempotency-key': 'cancel-1' })
  const again = await cancel(id, { 'idempotency-key': 'cancel-1' })
  expect([again.status, again.text]).toEqual([200, first.text])
})

test('a message that is sent, unknown or of another application cannot be cancelled', async () => {
  const sent = await send(env)
  await untilState(env, sent, { delivery_status: 'delivered' })
  expectProblem(await cancel(sent), 409, 'not_cancellable')
  expectProblem(await cancel('notif_nothing'), 404, 'not_found')
  const scheduled = await send(env, freshPhone(), { send_at: ahead(anHour) })
  const other = await addApplication(env)
  expectProblem(await cancel(scheduled, {}, other.apiKey), 404, 'not_found')
  expect((await stateOf(env, scheduled)).delivery_status).toBe('scheduled')
})

test.each([
  ['31 days ahead', () => ahead(31 * 24 * anHour)],
  ['an hour ago', () => ahead(-anHour)],
  ['no time', () => 'tomorrow'],
  ['a date alone', () => '2026-12-24'],
])('send_at that is %s is validation_failed', async (_what, sendAt) => {
  expectProblem(await post(env, smsTo(freshPhone(), { send_at: sendAt() })), 422, 'validation_failed')
})

test('a message due a moment ago is sent at once', async () => {
  const { body } = await post(env, smsTo(freshPhone(), { send_at: ahead(-1000) }))
  expect(body.delivery_status).toBe('queued')
})

test('accepted is settled and in flight, whatever happened', async () => {
  await eventually(async () => {
    const { rows } = await env.admin.query(`
      select (select sum(accepted) from dispatch.tallies)::int as accepted, (select sum(settled) from dispatch.tallies)::int as settled,
        (select count(*) from dispatch.notifications where not settled)::int as in_flight,
        (select count(*) from dispatch.notifications)::int as all`)
    expect(rows[0].accepted).toBe(rows[0].all)
    expect(rows[0].accepted).toBe(rows[0].settled + rows[0].in_flight)
    expect(rows[0].settled).toBeGreaterThan(0)
  })
})
