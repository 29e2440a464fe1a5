import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { activity } from '@notify/test-kit/activity'
import { post, postUntilTaken, stateOf } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
})
afterAll(() => env?.stop())

test('202 means committed: the notification is stored, queued or further, before the answer is read', async () => {
  const { status, body } = await post(env, smsTo(freshPhone('0008'), { metadata: { order: 'A-1' } }))
  expect(status).toBe(202)
  const { rows } = await env.admin.query(
    `select n.status, (select count(*)::int from dispatch.outbox where events like '%' || n.id || '%') as published
     from dispatch.notifications n where n.id = $1`,
    [body.notification_id],
  )
  expect(rows).toHaveLength(1)
  expect(rows[0].published).toBeGreaterThanOrEqual(1)
})

test('each of many concurrent requests, valid and invalid, gets its own answer', async () => {
  const bad = [
    [smsTo('no phone'), 'invalid_recipient'],
    [{ channel: 'sms', event_key: 'no.such.event', recipient: freshPhone() }, 'event_not_found'],
    [smsTo(freshPhone(), { body: '{{ name }}', template_data: {} }), 'template_variable_missing'],
    [smsTo(freshPhone(), { body: 'x'.repeat(1601) }), 'validation_failed'],
  ] as const
  const requests = Array.from({ length: 200 }, (_, i) => {
    const [body, code] = i % 5 === 4 ? bad[i % 4]! : [smsTo(freshPhone(), { metadata: { n: String(i) } }), undefined]
    return { body, code, n: String(i) }
  })
  const answers = await Promise.all(requests.map(({ body }) => postUntilTaken(env, '/api/v1/notifications', body)))
  const codes = answers.map(({ status, body }) => (status === 202 ? undefined : body.code))
  expect(codes).toEqual(requests.map(({ code }) => code))
  const accepted = answers.flatMap(({ status, body }, i) =>
    status === 202 ? [{ id: body.notification_id, n: requests[i]?.n }] : [],
  )
  // One after the other: on a busy machine some of many readers at once are answered 503.
  const states = []
  for (const { id } of accepted) states.push(await stateOf(env, id))
  expect(states.map(({ metadata }) => metadata.n)).toEqual(accepted.map(({ n }) => n))
  await eventually(async () => {
    const { body } = await activity(env, { status: 'delivered' })
    expect(body.total_count).toBeGreaterThanOrEqual(160)
  })
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.notifications')
  await eventually(async () => expect((await activity(env)).body.total_count).toBe(rows[0].count))
  expect(rows[0].count).toBe(accepted.length + 1)
  const sent = (await env.messages()).map(({ to }) => to)
  expect(new Set(sent).size).toBe(sent.length)
})
