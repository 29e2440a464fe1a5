import { expect, test } from '@jest/globals'
import { expectProblem, post, stateOf, untilAvailable } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { add, addEvent, anHour, close, digestsOf, env, fresh, itemOf, operator, textsTo, untilTexts } from './stack.ts'

async function addTopic(fields: object = {}): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const topic = { topic_key, name: 'News', channels: ['sms'], ...fields }
  expect((await operator('POST', `/applications/${env.applicationId}/topics`, topic)).status).toBe(201)
  return topic_key
}
const choose = (address: string, topic: string, state: string) =>
  env.api('POST', '/api/v1/preferences/import', { body: { rules: [{ address, topic, channel: '*', state }] } })

test('a topic that a person switches off before the close is not sent, and its items say why', async () => {
  const topic = await addTopic()
  const { event_key, phone } = await fresh(anHour, { topic })
  const ids = [await add(event_key, phone, 'Ada'), await add(event_key, phone, 'Bob')]
  expect((await choose(phone, topic, 'off')).body.changed).toBe(1)
  expectProblem(await post(env, itemOf(event_key, phone, 'Cy')), 422, 'recipient_opted_out')
  await close(event_key)
  for (const id of ids)
    expect(await stateOf(env, id)).toMatchObject({
      delivery_status: 'cancelled',
      failure_reason: 'recipient_opted_out',
    })
  expect(await textsTo(phone)).toEqual([])
})

test('a recipient who was suppressed before the close gets nothing, and the items fail', async () => {
  const { event_key, phone } = await fresh()
  const id = await add(event_key, phone, 'Ada')
  const suppressed = await operator('POST', '/suppressions', { channel: 'sms', recipient: phone })
  expect(suppressed.status).toBe(201)
  await close(event_key)
  const failed = {
    delivery_status: 'failed',
    retryable: false,
    failure_reason: expect.stringMatching(/^recipient_suppressed: /),
  }
  expect(await stateOf(env, id)).toMatchObject(failed)
  expect(await textsTo(phone)).toEqual([])
})

test('a digest goes to the address that the user has at its close', async () => {
  const event_key = await addEvent(anHour)
  const [user_id, before, after] = [crypto.randomUUID(), freshPhone(), freshPhone()]
  const put = (phone: string) => env.api('PUT', `/api/v1/users/${user_id}`, { body: { phone } })
  await put(before)
  await add(event_key, '', 'Ada', { recipient: { user_id } })
  await put(after)
  await close(event_key)
  await untilTexts(after, ['Ada: 1, Ada and 0 more'])
  expect(await textsTo(before)).toEqual([])
})

test('a digest to a user who was deleted before its close ends with a reason', async () => {
  const event_key = await addEvent(anHour)
  const user_id = crypto.randomUUID()
  await env.api('PUT', `/api/v1/users/${user_id}`, { body: { phone: freshPhone() } })
  const item = await add(event_key, '', 'Ada', { recipient: { user_id } })
  const removed = await untilAvailable(() => env.api('DELETE', `/api/v1/users/${user_id}`))
  expect([204, 404]).toContain(removed.status)
  await close(event_key)
  expect(await stateOf(env, item)).toMatchObject({
    delivery_status: 'failed',
    failure_reason: expect.stringMatching(/^recipient_unknown/),
  })
})

test('a request that cannot be put together with others is refused, and begins no digest', async () => {
  const event_key = await addEvent(
    { ...anHour, key: 'post' },
    {
      allowed_channels: ['sms', 'email'],
      templates: { sms: { body: '{{ name }} {{ total }}' }, email: { subject: '{{ total }}', body: '{{ name }}' } },
    },
  )
  const phone = freshPhone()
  const email = { channel: 'email', recipient: 'ada@shop.example' }
  const data = { name: 'Ada', post: 'p1' }
  const refused: [object, string][] = [
    [{ data: { ...data, total: 1 } }, 'data.total'],
    [{ data: { ...data, items: [] } }, 'data.items'],
    [{ data: { ...data, more: 1 } }, 'data.more'],
    [{ data: { name: 'Ada' } }, 'data.post'],
    [{ data: { name: 'Ada', post: { id: 1 } } }, 'data.post'],
    [{ data: { name: 'Ada', post: null } }, 'data.post'],
    [{ data, send_at: new Date(Date.now() + 60_000).toISOString() }, 'send_at'],
    [{ data, send_at_local: '2099-01-01T09:00', time_zone: 'UTC' }, 'send_at_local'],
    [{ data, ...email, cc: 'bob@shop.example' }, 'cc'],
    [{ data, ...email, bcc: ['bob@shop.example'] }, 'bcc'],
    [
      { data, ...email, attachments: [{ filename: 'a.txt', content: 'YQ==', content_type: 'text/plain' }] },
      'attachments',
    ],
  ]
  for (const [fields, path] of refused) {
    const answer = await post(env, { ...itemOf(event_key, phone, ''), ...fields })
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toEqual([path])
  }
  const missing = await post(env, { ...itemOf(event_key, phone, ''), data: { post: 'p1' } })
  expectProblem(missing, 422, 'template_variable_missing')
  expect(await digestsOf(event_key)).toEqual([])
})

test('one Idempotency-Key adds one item, however often the request is repeated', async () => {
  const { event_key, phone } = await fresh()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const ids = await Promise.all(Array.from({ length: 5 }, () => add(event_key, phone, 'Ada', {}, { headers })))
  expect(new Set(ids).size).toBe(1)
  await close(event_key)
  await untilTexts(phone, ['Ada: 1, Ada and 0 more'])
})

test('a broadcast of the event is sent when it says, to each member alone', async () => {
  const event_key = await addEvent(anHour)
  const [user_id, phone] = [crypto.randomUUID(), freshPhone()]
  await env.api('PUT', `/api/v1/users/${user_id}`, { body: { phone } })
  const { list_id } = (await env.api('POST', '/api/v1/lists', { body: { name: 'Readers' } })).body
  await env.api('PUT', `/api/v1/lists/${list_id}/members`, { body: { members: [{ user_id }] } })
  const broadcast = { channel: 'sms', event_key }
  const create = (data: object) =>
    env.api('POST', `/api/v1/lists/${list_id}/notifications`, { body: { ...broadcast, data } })
  for (const name of ['total', 'items', 'more'])
    expectProblem(await create({ name: 'Ada', [name]: 2 }), 422, 'validation_failed')
  expect((await create({ name: 'Ada' })).status).toBe(202)
  await untilTexts(phone, ['Ada: 1, Ada and 0 more'])
  expect(await digestsOf(event_key)).toEqual([])
})
