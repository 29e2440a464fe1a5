import { expect, test } from '@jest/globals'
import { freshUser, sendInApp, userToken } from '@notify/test-kit/inbox'
import { readEvents } from '../read-events.ts'
import { env } from './stack.ts'

async function addTopic(): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const body = { topic_key, name: 'Weekly news', channels: ['email', 'in_app'] }
  const path = `/api/v1/applications/${env.applicationId}/topics`
  expect((await env.api('POST', path, { token: env.operatorToken, body })).status).toBe(201)
  return topic_key
}

const changeOf = (topic: string, state: 'on' | 'off' | null) => ({ rules: [{ topic, channel: 'in_app', state }] })

test('streams of a user hear that preferences changed by the user or a key, and those of another user do not', async () => {
  const [topic, user, other] = [await addTopic(), freshUser(), freshUser()]
  const token = await userToken(env, user)
  const [one, two] = [await readEvents(env, token), await readEvents(env, token)]
  const stranger = await readEvents(env, await userToken(env, other))
  const own = await env.api('PATCH', '/api/v1/preferences', { token, body: changeOf(topic, 'off') })
  expect(own.status).toBe(200)
  for (const stream of [one, two]) await stream.until('preferences.changed')
  const byKey = await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: changeOf(topic, 'on') })
  expect(byKey.status).toBe(200)
  for (const stream of [one, two]) {
    const events = await stream.until('preferences.changed', 2)
    expect(events.map(({ id, data }) => [id, data])).toEqual([
      ['0', {}],
      ['0', {}],
    ])
  }
  expect((await env.api('PATCH', `/api/v1/users/${other}/preferences`, { body: changeOf(topic, 'off') })).status).toBe(
    200,
  )
  await stranger.until('preferences.changed')
  expect(stranger.events.map(({ event }) => event)).toEqual(['connection.ready', 'preferences.changed'])
  expect(one.events.filter(({ event }) => event === 'preferences.changed')).toHaveLength(2)
  for (const stream of [one, two, stranger]) stream.close()
})

test('twelve choices made together are fewer events, and the next notification has the first id', async () => {
  const [user, topic] = [freshUser(), await addTopic()]
  const stream = await readEvents(env, await userToken(env, user))
  const channels = ['*', 'sms', 'email', 'whatsapp', 'in_app', 'webhook']
  const rules = ['*', topic].flatMap((one) =>
    channels.map((channel) => ({ user_id: user, topic: one, channel, state: 'off' })),
  )
  const imported = await env.api('POST', '/api/v1/preferences/import', { body: { rules } })
  expect([imported.status, imported.body.changed]).toEqual([200, 12])
  await stream.until('preferences.changed')
  await sendInApp(env, user)
  const [created] = await stream.until('notification.created')
  expect(created!.id).toBe('1')
  expect(stream.events.filter(({ event }) => event === 'preferences.changed').length).toBeLessThan(12)
  stream.close()
})

test('the choice of a test key is not sent to live streams', async () => {
  const [user, topic] = [freshUser(), await addTopic()]
  const live = await readEvents(env, await userToken(env, user))
  const path = `/api/v1/applications/${env.applicationId}/keys`
  const body = { name: 'Test', mode: 'test', permissions: ['recipients:manage'] }
  const { body: key } = await env.api('POST', path, { token: env.operatorToken, body })
  const change = { token: key.api_key, body: changeOf(topic, 'off') }
  expect((await env.api('PATCH', `/api/v1/users/${user}/preferences`, change)).status).toBe(200)
  await sendInApp(env, user)
  await live.until('notification.created')
  expect((await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: changeOf(topic, 'off') })).status).toBe(
    200,
  )
  await live.until('preferences.changed')
  expect(live.events.filter(({ event }) => event === 'preferences.changed')).toHaveLength(1)
  live.close()
})

test('a wide off overrides a narrow one too, and both are kept', async () => {
  const [token, topic] = [await userToken(env, freshUser()), await addTopic()]
  const rules = [...changeOf(topic, 'off').rules, { topic: '*', channel: '*', state: 'off' }]
  const { body } = await env.api('PATCH', '/api/v1/preferences', { token, body: { rules } })
  const shown = body.topics.find(({ topic_key }: { topic_key: string }) => topic_key === topic)
  expect(shown.channels).toEqual(
    ['email', 'in_app'].map((channel) => ({
      channel,
      state: 'off',
      overridden: true,
      digests: false,
      frequency: null,
    })),
  )
  expect(body.rules).toHaveLength(2)
})
