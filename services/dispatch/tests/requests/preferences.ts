import { expect, test } from '@jest/globals'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { expectProblem, post, stateOf, untilState } from '@notify/test-kit/api'
import { addApplication, addBareTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const operator = (method: string, path: string, body?: object) =>
  env.api(method, `/api/v1/applications/${env.applicationId}${path}`, {
    token: env.operatorToken,
    ...(body ? { body } : {}),
  })

/** A topic of its own. @returns its key */
async function addTopic(fields: object = {}): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const { status } = await operator('POST', '/topics', { topic_key, name: 'News', channels: ['sms'], ...fields })
  expect(status).toBe(201)
  return topic_key
}

type Rule = { topic: string; channel: string; state: string | null }
const choose = (user: string, rule: Rule) =>
  env.api('PATCH', `/api/v1/users/${encodeURIComponent(user)}/preferences`, { body: { rules: [rule] } })
const importFor = (address: string, rule: Rule) =>
  env.api('POST', '/api/v1/preferences/import', { body: { rules: [{ address, ...rule }] } })
const explain = async (body: object, request: ApiRequest = {}) =>
  (await env.api('POST', '/api/v1/preferences/explain', { body, ...request })).body

const toUser = (user: string, topic: string, fields: object = {}) => ({
  ...{ channel: 'in_app', recipient: user, title: 'News', body: 'Something new', topic },
  ...fields,
})
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString()

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

test('a choice refuses the next message, names topic, channel and rule, and keeps no idempotency record', async () => {
  const topic = await addTopic({ channels: ['in_app'] })
  const user = `user ${crypto.randomUUID()}/ü`
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const off = await choose(user, { topic, channel: '*', state: 'off' })
  expect(off.body.rules).toMatchObject([{ topic, channel: '*', state: 'off', source: 'api' }])
  const shown = off.body.topics.find((one: { topic_key: string }) => one.topic_key === topic)
  expect(shown.channels).toEqual([
    { channel: 'in_app', state: 'off', overridden: true, digests: false, frequency: null },
  ])
  const refused = await post(env, toUser(user, topic), { headers })
  expectProblem(refused, 422, 'recipient_opted_out')
  for (const word of [topic, 'in_app', 'every channel']) expect(refused.body.detail).toContain(word)
  const batch = await env.api('POST', '/api/v1/notifications/batch', { body: { requests: [toUser(user, topic)] } })
  expect(batch.body.results).toMatchObject([{ error: { code: 'recipient_opted_out' } }])
  expect((await post(env, toUser(user, topic, { topic: undefined }))).status).toBe(202)
  expect((await post(env, toUser(`${user}2`, topic))).status).toBe(202)
  await choose(user, { topic, channel: '*', state: null })
  expect((await post(env, toUser(user, topic), { headers })).status).toBe(202)
  expectProblem(await post(env, toUser(user, 'nothing')), 404, 'topic_not_found')
})

test('a choice between acceptance and claim is obeyed: of a scheduled message, and of a retry', async () => {
  const topic = await addTopic({ channels: ['sms', 'in_app'] })
  const user = `user-${crypto.randomUUID()}`
  const [phone, failing] = [freshPhone(), freshPhone('0006')]
  const send = async (body: object) => (await post(env, body)).body.notification_id as string
  const scheduled = [
    await send(smsTo(phone, { topic, send_at: ahead(2500) })),
    await send(toUser(user, topic, { send_at: ahead(2500) })),
  ]
  const retried = await send(smsTo(failing, { topic }))
  await eventually(async () => expect((await stateOf(env, retried)).attempts.length).toBeGreaterThan(0))
  for (const address of [phone, failing])
    expect((await importFor(address, { topic: '*', channel: 'sms', state: 'off' })).body).toEqual({
      changed: 1,
      unchanged: 0,
    })
  await choose(user, { topic, channel: 'in_app', state: 'off' })
  const calls = (await stateOf(env, retried)).attempts.length
  for (const id of [...scheduled, retried]) {
    const ended = { delivery_status: 'cancelled', failure_reason: 'recipient_opted_out', retryable: false }
    await untilState(env, id, ended)
    await untilActivity(env, id, { status: 'cancelled', retryable: false })
    expectProblem(
      await env.api('POST', `/api/v1/activity/${id}/retry`, { token: env.operatorToken }),
      409,
      'not_retryable',
    )
  }
  // One attempt may have been under way when the choice was made.
  expect((await stateOf(env, retried)).attempts.length).toBeLessThanOrEqual(calls + 1)
  expect(await env.messages({ to: phone })).toEqual([])
})

test('a required topic cannot be switched off, and is sent to a user who switched off everything else', async () => {
  const [required, off] = [await addTopic({ kind: 'required' }), await addTopic({ kind: 'off', channels: ['in_app'] })]
  const user = `user-${crypto.randomUUID()}`
  const refused = await choose(user, { topic: required, channel: 'in_app', state: 'off' })
  expectProblem(refused, 422, 'topic_is_required')
  expect(refused.body.errors).toMatchObject([{ path: 'rules.0.topic' }])
  expectProblem(await post(env, toUser(user, off)), 422, 'recipient_opted_out')
  await choose(user, { topic: '*', channel: '*', state: 'on' })
  expectProblem(await post(env, toUser(user, off)), 422, 'recipient_opted_out')
  await choose(user, { topic: off, channel: 'in_app', state: 'on' })
  expect((await post(env, toUser(user, off))).status).toBe(202)
  await choose(user, { topic: '*', channel: '*', state: 'off' })
  expectProblem(await post(env, toUser(user, off)), 422, 'recipient_opted_out')
  expect((await post(env, toUser(user, required))).status).toBe(202)
})

test('an application may refuse bulk messages without a topic', async () => {
  const { applicationId, apiKey } = await addApplication(env)
  const path = `/api/v1/applications/${applicationId}`
  const set = (bulk_requires_topic: boolean) =>
    env.api('PATCH', path, { token: env.operatorToken, body: { bulk_requires_topic } })
  expect((await set(true)).body.bulk_requires_topic).toBe(true)
  const bulk = toUser('user-42', 'x', { topic: undefined, priority: 'bulk' })
  await eventually(async () => expectProblem(await post(env, bulk, { token: apiKey }), 422, 'topic_required'))
  expect((await post(env, { ...bulk, priority: 'transactional' }, { token: apiKey })).status).toBe(202)
  await env.api('POST', `${path}/topics`, {
    token: env.operatorToken,
    body: { topic_key: 'x', name: 'X', channels: ['in_app'] },
  })
  await eventually(async () => expect((await post(env, { ...bulk, topic: 'x' }, { token: apiKey })).status).toBe(202))
})

test('operators read choices and their evidence by the token of a user id or an address, of their tenant alone', async () => {
  const topic = await addTopic()
  const user = `user-${crypto.randomUUID()}`
  for (const state of ['off', 'on', null]) await choose(user, { topic, channel: 'sms', state })
  await choose(user, { topic: '*', channel: '*', state: 'off' })
  const asOperator = { token: env.operatorToken }
  const lookup = { ...asOperator, body: { recipient: user } }
  const { recipient_token } = (await env.api('POST', '/api/v1/recipients/lookup', lookup)).body
  const path = `/recipients/${recipient_token}`
  const { body } = await operator('GET', `${path}/preferences`)
  expect(body.rules).toMatchObject([{ topic: '*', channel: '*', state: 'off', source: 'api' }])
  const shown = body.topics.find((one: { topic_key: string }) => one.topic_key === topic)
  expect(shown.channels).toEqual([{ channel: 'sms', state: 'off', overridden: true, digests: false, frequency: null }])
  const first = (await operator('GET', `${path}/preference-changes?limit=3`)).body
  expect(first.items).toMatchObject([
    { topic: '*', before: null, after: 'off', source: 'api', actor: expect.stringMatching(/^key_/) },
    { topic, before: 'on', after: null },
    { topic, before: 'off', after: 'on' },
  ])
  const rest = (await operator('GET', `${path}/preference-changes?limit=3&cursor=${first.next_cursor}`)).body
  expect(rest).toMatchObject({ items: [{ topic, before: null, after: 'off' }], next_cursor: null })

  const asked = { application_id: env.applicationId, user_token: recipient_token, topic, channel: 'sms' }
  expect(await explain(asked, asOperator)).toMatchObject({
    sends: false,
    considered: expect.arrayContaining([expect.objectContaining({ check: 'choice', decided: true })]),
  })
  const wrong: object[] = [{ user_id: user }, { user_token: 'rcp_short' }, { address_token: '' }]
  for (const bad of wrong) expect(await explain({ ...asked, ...bad }, asOperator)).toMatchObject({ status: 422 })

  const permitted = { permissions: ['consents:read'] }
  const refused = operatorToken(env, { permissions: ['topics:manage', 'activity:read'] })
  const stranger = operatorToken(env, { tenant_id: (await addBareTenant(env)).tenantId, ...permitted })
  for (const one of ['/preferences', '/preference-changes']) {
    const url = `/api/v1/applications/${env.applicationId}${path}${one}`
    expect((await env.api('GET', url, { token: operatorToken(env, permitted) })).status).toBe(200)
    expectProblem(await env.api('GET', url, { token: refused }), 403, 'permission_denied')
    expectProblem(await env.api('GET', url, { token: stranger }), 404, 'not_found')
    expectProblem(await operator('GET', `/recipients/${user}${one}`), 404, 'not_found')
  }
  const unlike = await env.api('POST', '/api/v1/preferences/explain', { token: stranger, body: asked })
  expectProblem(unlike, 422, 'validation_failed')
})

test('preferences are looked up by address, imported whole or not at all, and explained', async () => {
  const topic = await addTopic()
  const [user, address] = [`user-${crypto.randomUUID()}`, `Ada.${crypto.randomUUID()}@Shop.example`]
  const rules = [
    { address, topic, channel: 'email', state: 'off' },
    { user_id: user, topic, channel: '*', state: 'on', changed_at: '2026-01-02T03:04:05Z' },
  ]
  const bad = [...rules, { user_id: user, topic: 'nothing', channel: '*', state: 'on' }]
  const importing = (all: object[], request: ApiRequest = {}) =>
    env.api('POST', '/api/v1/preferences/import', { body: { rules: all }, ...request })
  const refused = await importing(bad)
  expectProblem(refused, 404, 'topic_not_found')
  expect(refused.body.errors).toMatchObject([{ path: 'rules.2.topic' }])
  const mailboxes = [' ada@shop.example', 'Ada <ada@shop.example>', 'ada', 'a..da@shop.example', 'adä@shop.example']
  const urls = ['http://shop.example/', 'https://10.0.0.1/', 'https://ada:secret@shop.example/', 'https://shop']
  const unlike = ['+1 415 555 0100', '0014155550100', ...mailboxes, ...urls]
  const wrongs = [{}, { user_id: user, address }, { user_id: '' }, { address, changed_at: ahead(3_600_000) }]
  for (const wrong of [...wrongs, ...unlike.map((of) => ({ address: of }))])
    expectProblem(await importing([{ ...wrong, topic, channel: '*', state: 'on' }]), 422, 'validation_failed')
  expectProblem(await importing(Array.from({ length: 1001 }, () => rules[0]!)), 422, 'validation_failed')
  expect((await importing(rules)).body).toEqual({ changed: 2, unchanged: 0 })
  expect((await importing(rules)).body).toEqual({ changed: 0, unchanged: 2 })
  const lookUp = (body: object, request: ApiRequest = {}) =>
    env.api('POST', '/api/v1/preferences/lookup', { body, ...request })
  // Spellings of one mailbox are one address.
  const found = await lookUp({ address: address.toLowerCase() })
  expect(found.body.rules).toMatchObject([{ topic, channel: 'email', state: 'off', source: 'import' }])
  expect((await lookUp({ address, user_id: user })).body.rules).toHaveLength(2)
  expectProblem(await lookUp({}), 422, 'validation_failed')
  for (const locale of ['de_DE', '*', '']) {
    expectProblem(await lookUp({ address, locale }), 422, 'validation_failed')
    const query = `?locale=${encodeURIComponent(locale)}`
    expectProblem(await env.api('GET', `/api/v1/users/${user}/preferences${query}`), 422, 'validation_failed')
  }
  const other = await addApplication(env)
  expectProblem(await lookUp({ address }, { token: other.apiKey }), 403, 'permission_denied')
  const { apiKey: token } = await addKey(env, other, { permissions: ['recipients:manage'] })
  expect((await lookUp({ address }, { token })).body.rules).toEqual([])
  const asked = { user_id: user, address, topic, channel: 'email' }
  expect(await explain(asked)).toMatchObject({
    sends: false,
    considered: [
      { check: 'suppression', outcome: 'passes', decided: false },
      { check: 'topic', outcome: 'passes' },
      { check: 'choice', outcome: 'passes', rule: { of: 'user', state: 'on' } },
      { check: 'choice', outcome: 'stops', decided: true, rule: { of: 'address', state: 'off', channel: 'email' } },
      { check: 'kind', outcome: 'sends', decided: false },
    ],
  })
  const asOperator = { token: env.operatorToken }
  expect(await explain({ ...asked, application_id: env.applicationId }, asOperator)).toMatchObject({ sends: false })
  expect(await explain(asked, asOperator)).toMatchObject({ code: 'validation_failed' })
  expect(await explain({ user_id: user, channel: 'sms' })).toMatchObject({ sends: true })
  // A send to the user goes to the address that is saved.
  await env.api('PUT', `/api/v1/users/${user}`, { body: { email: address } })
  expect(await explain({ user_id: user, topic, channel: 'email' })).toEqual(await explain(asked))
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
    const narrowed = operator('PUT', `/topics/${topic}`, { name: 'News', channels: ['sms'] })
    const answers = await Promise.all([publish(event_key), narrowed])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  }
})

test('a choice for a URL counts for every spelling of it', async () => {
  const topic = await addTopic({ channels: ['webhook'] })
  const host = `${crypto.randomUUID()}.shop.example`
  const stops = { topic, channel: 'webhook', state: 'off' }
  expect((await importFor(`https://${host.toUpperCase()}`, stops)).status).toBe(200)
  const send = (recipient: string) => post(env, { channel: 'webhook', recipient, body: 'New', topic })
  for (const url of [`https://${host}`, `https://${host}/`, `https://${host}:443/a/..`])
    expectProblem(await send(url), 422, 'recipient_opted_out')
  expect((await send(`https://${host}/a`)).status).toBe(202)
})

test('an older choice that is imported does not bring back one that was removed since, also at the same moment', async () => {
  const topic = await addTopic({ kind: 'off' })
  const older = (user_id: string, state: string) => ({
    ...{ user_id, topic, channel: 'sms', state },
    changed_at: '2026-01-02T03:04:05Z',
  })
  const importing = (rule: object) => env.api('POST', '/api/v1/preferences/import', { body: { rules: [rule] } })
  const rulesOf = async (user: string) => (await env.api('GET', `/api/v1/users/${user}/preferences`)).body.rules
  for (let round = 0; round < 20; round++) {
    const user = `user-${crypto.randomUUID()}`
    expect((await importing(older(user, 'on'))).body.changed).toBe(1)
    const removal = choose(user, { topic, channel: 'sms', state: null })
    const answers = await Promise.all([removal, importing(older(user, 'off')), importing(older(user, 'on'))])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await importing(older(user, 'on'))).body).toEqual({ changed: 0, unchanged: 1 })
    expect(await rulesOf(user)).toEqual([])
    const later = { ...older(user, 'on'), changed_at: new Date().toISOString() }
    expect((await importing(later)).body.changed).toBe(1)
  }
})
