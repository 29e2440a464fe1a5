import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post, untilAvailable } from '@notify/test-kit/api'
import { addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { addTopic, choose, operator, toUser } from './choices.ts'
import { env } from './stack.ts'

test('a topic is created, read, changed and deleted by operators with topics:manage, and audited', async () => {
  const topic_key = await addTopic({ translations: { de: { name: 'Neues' } } })
  const path = `/topics/${topic_key}`
  const { body: created } = await operator('GET', path)
  expect(created).toMatchObject({ topic_key, kind: 'on', description: '', translations: { de: { name: 'Neues' } } })
  expect((await operator('GET', '/topics?limit=100')).body.items).toContainEqual(created)
  expectProblem(await operator('POST', '/topics', { topic_key, name: 'Again', channels: ['sms'] }), 409, 'topic_exists')
  const changed = { name: 'Notices', kind: 'required', channels: ['sms', 'sms'] }
  const { body } = await operator('PUT', `${path}?expected_updated_at=${created.updated_at}`, changed)
  expect(body).toMatchObject({ name: 'Notices', kind: 'required', channels: ['sms'], translations: {} })
  const late = await operator('PUT', `${path}?expected_updated_at=${created.updated_at}`, changed)
  expectProblem(late, 409, 'edit_conflict')
  await eventually(async () => {
    const log = await env.api('GET', '/api/v1/audit-log?limit=100', { token: env.operatorToken })
    const entries = log.body.items.filter((one: { resource: { id: string } }) => one.resource.id === topic_key)
    expect(entries).toMatchObject([
      { action: 'topic.changed', before: { kind: 'on' }, after: { kind: 'required' } },
      { action: 'topic.created' },
    ])
  })
  expect((await operator('DELETE', path)).status).toBe(204)
  expectProblem(await operator('DELETE', path), 404, 'topic_not_found')
})

test('topics are refused to others, and bad ones to everybody', async () => {
  const path = `/api/v1/applications/${env.applicationId}/topics`
  const token = operatorToken(env, { permissions: ['events:manage'] })
  expectProblem(await env.api('GET', path, { token }), 403, 'permission_denied')
  const other = await addBareTenant(env)
  const stranger = operatorToken(env, { tenant_id: other.tenantId, permissions: ['topics:manage'] })
  expectProblem(await env.api('GET', path, { token: stranger }), 404, 'not_found')
  const good = { topic_key: 'x', name: 'X', channels: ['sms'] }
  for (const bad of [
    { topic_key: '*' },
    { topic_key: 'a:b' },
    { topic_key: '' },
    { name: ' ' },
    { name: 'a\nb' },
    { kind: 'maybe' },
    { channels: [] },
    { channels: ['pigeon'] },
    { position: -1 },
    { translations: { 'no locale': { name: 'X' } } },
    { translations: { de: {} } },
    { other: 1 },
  ])
    expectProblem(await operator('POST', '/topics', { ...good, ...bad }), 422, 'validation_failed')
})

test("an event's version names its topic, which is not deleted while one does", async () => {
  const topic = await addTopic({ channels: ['in_app'] })
  const event_key = `event-${crypto.randomUUID()}`
  const content = { name: 'E', allowed_channels: ['in_app'], templates: { in_app: { title: 'T', body: 'B' } } }
  const missing = await operator('POST', '/events', { event_key, ...content, topic: 'nothing' })
  expectProblem(missing, 404, 'topic_not_found')
  const event = await operator('POST', '/events', { event_key, ...content, status: 'published', topic })
  expect([event.status, event.body.topic]).toEqual([201, topic])
  // Saved by a client that does not know the field: it stays.
  expect((await operator('PUT', `/events/${event_key}`, content)).body.draft.topic).toBe(topic)
  expectProblem(await operator('DELETE', `/topics/${topic}`), 409, 'topic_in_use')
  const user = `user-${crypto.randomUUID()}`
  expect((await choose(user, { topic, channel: 'in_app', state: 'off' })).status).toBe(200)
  const request = { channel: 'in_app', recipient: user, event_key, data: {} }
  expectProblem(await post(env, request), 422, 'recipient_opted_out')
  expectProblem(await post(env, { ...request, topic }), 422, 'validation_failed')
  await operator('PUT', `/events/${event_key}`, { ...content, topic: null })
  expectProblem(await operator('DELETE', `/topics/${topic}`), 409, 'topic_in_use')
  await operator('POST', `/events/${event_key}/publish`)
  expect((await operator('DELETE', `/topics/${topic}`)).status).toBe(204)
  await eventually(async () => expect((await post(env, request)).status).toBe(202))
})

test('a message of a topic by a channel that it does not list is refused, unless the topic is required', async () => {
  const user = crypto.randomUUID()
  const [topic, required] = [await addTopic(), await addTopic({ kind: 'required' })]
  const refused = await post(env, toUser(user, topic))
  expectProblem(refused, 422, 'channel_not_allowed')
  expect(refused.body.detail).toContain('it lists sms')
  expect((await post(env, toUser(user, required))).status).toBe(202)
  expect((await operator('PUT', `/topics/${topic}`, { name: 'News', channels: ['in_app'] })).status).toBe(200)
  await eventually(async () => expect((await post(env, toUser(user, topic))).status).toBe(202))
})

/** Saves an event of the topic. @returns its key */
async function addEvent(topic: string, allowed_channels: string[], status: 'draft' | 'published') {
  const event_key = `event-${crypto.randomUUID()}`
  const templates = { sms: { body: 'News' }, in_app: { title: 'News', body: 'Something new' } }
  const body = { event_key, name: 'News', status, allowed_channels, templates, topic }
  return { event_key, answer: await operator('POST', '/events', body) }
}
const publish = (key: string) => operator('POST', `/events/${key}/publish`)

test('an event is published only for channels that its topic lists; a required topic is sent by all', async () => {
  const [topic, required] = [await addTopic(), await addTopic({ kind: 'required' })]
  const { event_key, answer } = await addEvent(topic, ['sms', 'in_app'], 'published')
  expectProblem(answer, 422, 'channel_not_allowed')
  expect(answer.body.errors).toEqual([{ path: 'allowed_channels', message: expect.stringContaining('in_app') }])
  expectProblem(await operator('GET', `/events/${event_key}`), 404, 'event_not_found')
  const draft = await addEvent(topic, ['sms', 'in_app'], 'draft')
  expectProblem(await publish(draft.event_key), 422, 'channel_not_allowed')
  expect((await operator('GET', `/events/${draft.event_key}`)).body.status).toBe('draft')
  expect((await operator('PUT', `/topics/${topic}`, { name: 'News', channels: ['in_app', 'sms'] })).status).toBe(200)
  expect((await publish(draft.event_key)).status).toBe(200)
  expect((await addEvent(required, ['sms', 'in_app'], 'published')).answer.status).toBe(201)
})

test('a topic keeps the channels by which published events send it', async () => {
  const topic = await addTopic({ channels: ['sms', 'in_app'] })
  const { event_key } = await addEvent(topic, ['in_app'], 'published')
  await addEvent(topic, ['sms'], 'draft')
  const narrowed = { name: 'Renamed', channels: ['sms'] }
  const refused = await operator('PUT', `/topics/${topic}`, narrowed)
  expectProblem(refused, 409, 'topic_in_use')
  expect(refused.body).toMatchObject({ detail: expect.stringContaining(event_key), errors: [{ path: 'channels' }] })
  expect((await operator('GET', `/topics/${topic}`)).body).toMatchObject({ name: 'News', channels: ['sms', 'in_app'] })
  // No published event sends it by SMS.
  expect((await operator('PUT', `/topics/${topic}`, { name: 'News', channels: ['in_app'] })).status).toBe(200)
  expect((await operator('PUT', `/topics/${topic}`, { ...narrowed, kind: 'required' })).status).toBe(200)
  expectProblem(await operator('PUT', `/topics/${topic}`, narrowed), 409, 'topic_in_use')
  await operator('POST', `/events/${event_key}/deactivate`)
  expect((await operator('PUT', `/topics/${topic}`, narrowed)).status).toBe(200)
  expectProblem(await publish(event_key), 422, 'channel_not_allowed')
})

test('a publish and a narrower topic of the same moment: one of them is refused', async () => {
  for (let round = 0; round < 10; round++) {
    const topic = await addTopic({ channels: ['sms', 'in_app'] })
    const { event_key } = await addEvent(topic, ['in_app'], 'draft')
    const narrow = () => operator('PUT', `/topics/${topic}`, { name: 'News', channels: ['sms'] })
    const answers = await Promise.all([untilAvailable(() => publish(event_key)), untilAvailable(narrow)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  }
})
