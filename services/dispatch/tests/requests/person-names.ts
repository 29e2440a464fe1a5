import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/api'
import { addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { addTopic, statesIn } from './choices.ts'
import { env } from './stack.ts'

const everything = { topic: '*', channel: '*' }
const off = (name: object) => ({ ...name, ...everything, state: 'off' })
const fresh = () => `${crypto.randomUUID()}@shop.example`

async function tokenOf(recipient: string): Promise<string> {
  const request = { token: env.operatorToken, body: { recipient } }
  return (await env.api('POST', '/api/v1/recipients/lookup', request)).body.recipient_token
}

async function read(recipient: string, query = '', what = 'preferences') {
  const path = `/api/v1/applications/${env.applicationId}/recipients/${await tokenOf(recipient)}/${what}${query}`
  const { status, body } = await env.api('GET', path, { token: env.operatorToken })
  expect(status).toBe(200)
  return body
}

const importAll = (rules: object[], key?: string) =>
  env.api('POST', '/api/v1/preferences/import', { body: { rules }, ...(key ? { key } : {}) })
const putUser = (user: string, body: object) => env.api('PUT', `/api/v1/users/${user}`, { body })

test('a user id and an address lead to the choices of all names that the record of the user links', async () => {
  const [user, email, phone] = [`user-${crypto.randomUUID()}`, fresh(), freshPhone()]
  await putUser(user, { email, phone })
  await importAll([off({ user_id: user }), off({ address: email })])
  const names = [
    { of: 'user', recipient_token: await tokenOf(user), recipient_masked: expect.stringMatching(/^u\*\*\*.$/) },
    { of: 'email', recipient_token: await tokenOf(email), recipient_masked: `${email[0]}***@shop.example` },
    { of: 'phone', recipient_token: await tokenOf(phone), recipient_masked: expect.stringMatching(/^\+\d\d\*+\d{4}$/) },
  ]
  for (const name of [user, email, phone]) {
    const found = await read(name)
    expect(found).toMatchObject({ names, sharing: [] })
    expect(found.rules.map(({ of }: { of: string }) => of).sort()).toEqual(['email', 'user'])
    const { items } = await read(name, '', 'preference-changes')
    expect(items.map(({ of }: { of: string }) => of).sort()).toEqual(['email', 'user'])
  }
  expect(JSON.stringify(await read(user))).not.toContain(email)
})

test('the choices for an address of a user count on the channels that use it, whichever name leads to the user', async () => {
  const topic = await addTopic({ channels: ['email', 'sms', 'in_app'] })
  const [user, email, phone] = [`user-${crypto.randomUUID()}`, fresh(), freshPhone()]
  await putUser(user, { email, phone })
  await importAll([off({ address: phone })])
  for (const name of [user, email, phone]) {
    const body = await read(name)
    expect(statesIn({ body }, topic)).toEqual({ email: 'on', sms: 'off', in_app: 'on' })
    expect(body.rules).toMatchObject([{ ...everything, of: 'phone' }])
  }
})

test('the choices for an address that is the user id as well count on every channel', async () => {
  const [topic, email] = [await addTopic({ channels: ['email', 'in_app'] }), fresh()]
  await putUser(email, { email })
  await importAll([off({ address: email })])
  const body = await read(email)
  expect(statesIn({ body }, topic)).toEqual({ email: 'off', in_app: 'off' })
  expect(body.rules).toMatchObject([{ ...everything, of: 'user' }])
})

test('an address that several users have is linked with none of them', async () => {
  const [one, other, email] = [`one-${crypto.randomUUID()}`, `other-${crypto.randomUUID()}`, fresh()]
  for (const user of [one, other]) await putUser(user, { email })
  await importAll([off({ user_id: one }), off({ address: email })])
  const found = await read(email)
  expect(found.names).toEqual([])
  expect(found.sharing.map((each: { recipient_token: string }) => each.recipient_token).sort()).toEqual(
    [await tokenOf(one), await tokenOf(other)].sort(),
  )
  expect(found.rules).toMatchObject([{ ...everything, of: null }])
  expect((await read(one)).rules.map(({ of }: { of: string }) => of).sort()).toEqual(['email', 'user'])
})

test('choices and users of test keys are read in test mode alone', async () => {
  const { apiKey: key } = await addKey(env, env, { mode: 'test', permissions: ['recipients:manage'] })
  const [user, email] = [`user-${crypto.randomUUID()}`, fresh()]
  expect((await env.api('PUT', `/api/v1/users/${user}`, { key, body: { email } })).status).toBe(200)
  await importAll([off({ user_id: user })], key)
  expect(await read(user)).toMatchObject({ names: [], rules: [] })
  expect(await read(email, '?mode=test')).toMatchObject({
    names: [{ of: 'user' }, { of: 'email' }],
    rules: [{ of: 'user' }],
  })
  expect(await read(user, '?mode=test', 'preference-changes')).toMatchObject({ items: [{ of: 'user', after: 'off' }] })

  const topic_key = `topic-${crypto.randomUUID()}`
  const topics = `/api/v1/applications/${env.applicationId}/topics`
  const topic = { topic_key, name: 'News', channels: ['email'] }
  expect((await env.api('POST', topics, { token: env.operatorToken, body: topic })).status).toBe(201)
  const asked = {
    application_id: env.applicationId,
    user_token: await tokenOf(user),
    topic: topic_key,
    channel: 'email',
  }
  const explain = (body: object, request: object) =>
    env.api('POST', '/api/v1/preferences/explain', { body, ...request })
  const asOperator = { token: env.operatorToken }
  expect((await explain(asked, asOperator)).body.sends).toBe(true)
  expect((await explain({ ...asked, mode: 'test' }, asOperator)).body.sends).toBe(false)
  expectProblem(await explain({ user_id: user, channel: 'email', mode: 'live' }, { key }), 422, 'validation_failed')
})
