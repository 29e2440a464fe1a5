import { expect, test } from '@jest/globals'
import { type ApiResponse, eventually } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import { deliveriesOf, expectDocumented, freshPath, subscribe, untilReceived } from '@notify/test-kit/webhooks'
import { addTopic, env, lookUp, mail, oneClick } from './stack.ts'

test('a user reads and changes their own preferences, and nobody else’s', async () => {
  const [topic, required] = [await addTopic(), await addTopic({ kind: 'required' })]
  const [user, neighbour] = [freshUser(), freshUser()]
  const token = await userToken(env, user)
  const change = (rules: object[]): Promise<ApiResponse> =>
    env.api('PATCH', '/api/v1/preferences?locale=de', { token, body: { rules } })
  const changed = await change([{ topic, channel: 'in_app', state: 'off' }])
  expect(changed.body.rules).toMatchObject([{ topic, channel: 'in_app', state: 'off', source: 'page' }])
  expect((await env.api('GET', '/api/v1/preferences', { token })).body.rules).toEqual(changed.body.rules)
  expectProblem(await change([{ topic: required, channel: '*', state: 'off' }]), 422, 'topic_is_required')
  expectProblem(await change([{ topic: 'nothing', channel: '*', state: 'off' }]), 404, 'topic_not_found')
  expectProblem(await change([]), 422, 'validation_failed')
  expectProblem(await env.api('GET', '/api/v1/preferences', { key: null }), 401, 'unauthenticated')
  expectProblem(await env.api('GET', '/api/v1/preferences', { token: env.apiKey }), 401, 'unauthenticated')
  const inApp = { channel: 'in_app', title: 'News', body: 'News', topic }
  expectProblem(await post(env, { ...inApp, recipient: user }), 422, 'recipient_opted_out')
  expect((await post(env, { ...inApp, recipient: neighbour })).status).toBe(202)
})

/** Whether emails of a topic are sent, by an answer that shows preferences. */
function emailStateIn({ body }: ApiResponse, topic: string): string {
  const shown = body.topics.find(({ topic_key }: { topic_key: string }) => topic_key === topic)
  return shown.channels.find(({ channel }: { channel: string }) => channel === 'email').state
}

test.each([
  ['a user', true],
  ['only the address of a user', false],
])('a link in an email to %s stops the topic in the app, where it is started again', async (_, namesUser) => {
  const topic = await addTopic()
  const [user, to] = [freshUser(), freshAddress()]
  expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { email: to } })).status).toBe(200)
  const { url } = await mail(to, topic, namesUser ? { recipient: { user_id: user } } : {})
  const token = await userToken(env, user)
  const read = () => env.api('GET', '/api/v1/preferences', { token })
  expect(emailStateIn(await read(), topic)).toBe('on')
  expect((await oneClick(url)).status).toBe(200)
  expect(emailStateIn(await read(), topic)).toBe('off')
  expectProblem(await post(env, emailTo({ user_id: user }, { topic })), 422, 'recipient_opted_out')
  const rules = [{ topic, channel: 'email', state: 'on' }]
  const changed = await env.api('PATCH', '/api/v1/preferences', { token, body: { rules } })
  expect([changed.status, emailStateIn(changed, topic)]).toEqual([200, 'on'])
  expect((await lookUp(to)).rules).toMatchObject([{ topic, channel: 'email', state: 'on', source: 'page' }])
  expect((await post(env, emailTo({ user_id: user }, { topic }))).status).toBe(202)
})

test('a changed preference reaches its subscribers, signed, with the name that the customer knows', async () => {
  const path = freshPath('ok')
  const { subscription_id } = await subscribe(env, path, { events: ['preference.changed'] })
  const topic = await addTopic()
  const user = freshUser()
  const rule = { topic, channel: '*', state: 'off' }
  for (let time = 0; time < 2; time++)
    await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules: [rule] } })
  await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules: [{ ...rule, state: null }] } })
  const events = await untilReceived(env, path, 2)
  expect(events.map(({ verified }) => verified)).toEqual([true, true])
  expect(events.map(({ body }) => JSON.parse(body))).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'preference.changed',
        data: expect.objectContaining({ user_id: user, topic, channel: '*', state: 'off', source: 'api' }),
      }),
      expect.objectContaining({ data: expect.objectContaining({ state: null }) }),
    ]),
  )
  // The person chose it long before the subscription; the customer has imported it now.
  const changed_at = '2026-01-31T09:30:00.000Z'
  const address = freshAddress()
  const rules = [{ address, ...rule, changed_at }]
  await env.api('POST', '/api/v1/preferences/import', { body: { rules } })
  const imported = (await untilReceived(env, path, 3)).at(-1)!
  expect(JSON.parse(imported.body).data).toMatchObject({ address, source: 'import', occurred_at: changed_at })
  for (const one of [...events, imported]) expectDocumented(one)
  // Operators who manage webhooks see no names.
  for (const { delivery_id } of await deliveriesOf(env, subscription_id)) {
    const shown = await env.api('GET', `/api/v1/webhook-deliveries/${delivery_id}`, { token: env.operatorToken })
    const { data } = JSON.parse(shown.body.request.body)
    expect(data).toMatchObject({ topic, source: expect.any(String) })
    expect(data.user_id ?? data.address).toContain('***')
    expect(shown.text.includes(user) || shown.text.includes(address)).toBe(false)
  }
  // Nothing on the bus or in the database names the person.
  await eventually(async () => {
    const { rows } = await env.admin.query('select events from dispatch.outbox where events like $1', [`%${user}%`])
    expect(rows).toEqual([])
  })
})

// The last one: for a while, the limit counts against all callers of this address.
