import { expect, test } from '@jest/globals'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { becomeDue, expectProblem, inAnHour, post, stateOf, untilAvailable, untilState } from '@notify/test-kit/api'
import { addApplication, addBareTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { addTopic, ahead, choose, explain, importFor, operator, toUser } from './choices.ts'
import { env } from './stack.ts'

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
    await send(smsTo(phone, { topic, send_at: inAnHour() })),
    await send(toUser(user, topic, { send_at: inAnHour() })),
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
  await becomeDue(env, ...scheduled)
  // Two of its attempts may have passed before the choice: the wait for the next one is long.
  await env.admin.query(
    'update dispatch.notifications set next_attempt_at = now() where id = $1 and next_attempt_at is not null',
    [retried],
  )
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
  const topic = await addTopic({ channels: ['sms', 'email'] })
  const [user, address] = [`user-${crypto.randomUUID()}`, `Ada.${crypto.randomUUID()}@Shop.example`]
  const rules = [
    { address, topic, channel: 'email', state: 'off' },
    { user_id: user, topic, channel: '*', state: 'on', changed_at: '2026-01-03T03:03:05+23:59' },
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
  const unlisted = await addTopic({ channels: ['in_app'] })
  expect(await explain({ user_id: user, topic: unlisted, channel: 'sms' })).toMatchObject({
    sends: false,
    considered: [{ check: 'topic', outcome: 'stops', decided: true }],
  })
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
    const remove = () => choose(user, { topic, channel: 'sms', state: null })
    const changes = [remove, () => importing(older(user, 'off')), () => importing(older(user, 'on'))]
    const answers = await Promise.all(changes.map((change) => untilAvailable(change)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await importing(older(user, 'on'))).body).toEqual({ changed: 0, unchanged: 1 })
    expect(await rulesOf(user)).toEqual([])
    const later = { ...older(user, 'on'), changed_at: new Date().toISOString() }
    expect((await importing(later)).body.changed).toBe(1)
  }
})
