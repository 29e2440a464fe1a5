import { expect, test } from '@jest/globals'
import { expectProblem, post } from '@notify/test-kit/api'
import { emailTo } from '@notify/test-kit/email'
import { freshPhone } from '@notify/test-kit/sms'
import { addTopic, choose, importFor, statesIn } from './choices.ts'
import { env } from './stack.ts'

const fresh = () => [`user-${crypto.randomUUID()}`, `${crypto.randomUUID()}@shop.example`] as const
const everyEmail = { topic: '*', channel: 'email' }

async function putUser(user: string, body: object): Promise<void> {
  expect((await env.api('PUT', `/api/v1/users/${user}`, { body })).status).toBe(200)
}
const preferencesOf = (user: string) => env.api('GET', `/api/v1/users/${user}/preferences`)
const rulesOf = async (address: string) =>
  (await env.api('POST', '/api/v1/preferences/lookup', { body: { address } })).body.rules

test('everything that is off for the address of a user is lifted when the user lifts it', async () => {
  const topic = await addTopic({ channels: ['email'] })
  const [user, email] = fresh()
  await putUser(user, { email })
  await importFor(email, { ...everyEmail, state: 'off' })
  const off = await choose(user, { ...everyEmail, state: 'off' })
  expect(off.body.rules).toMatchObject([{ ...everyEmail, state: 'off' }])
  const lifted = await choose(user, { ...everyEmail, state: null })
  expect([statesIn(lifted, topic), lifted.body.rules]).toEqual([{ email: 'on' }, []])
  expect(await rulesOf(email)).toEqual([])
  expect((await post(env, emailTo({ user_id: user }, { topic }))).status).toBe(202)
})

test('a change of a user lifts nothing wider for the address, and switches nothing off there', async () => {
  const [topic, other] = [await addTopic({ channels: ['email'] }), await addTopic({ channels: ['email'] })]
  const [user, email] = fresh()
  await putUser(user, { email })
  await importFor(email, { ...everyEmail, state: 'off' })
  const changed = await choose(user, { topic, channel: 'email', state: 'on' })
  expect(statesIn(changed, topic)).toEqual({ email: 'off' })
  await choose(user, { topic: other, channel: 'email', state: 'off' })
  expect(await rulesOf(email)).toMatchObject([{ ...everyEmail, state: 'off' }])
})

test('an off of an address of several users stays when one of them switches the topic on, and each of them sees it', async () => {
  const topic = await addTopic({ channels: ['email'] })
  const [one, email] = fresh()
  const [other] = fresh()
  for (const user of [one, other]) await putUser(user, { email })
  await importFor(email, { topic, channel: 'email', state: 'off' })
  const changed = await choose(one, { topic, channel: 'email', state: 'on' })
  expect(changed.body.rules).toMatchObject([{ topic, channel: 'email', state: 'on' }])
  for (const answer of [changed, await preferencesOf(one), await preferencesOf(other)])
    expect(statesIn(answer, topic)).toEqual({ email: 'off' })
  expect(await rulesOf(email)).toMatchObject([{ topic, channel: 'email', state: 'off', source: 'import' }])
  expectProblem(await post(env, emailTo({ user_id: one }, { topic })), 422, 'recipient_opted_out')
})

test('choices for an address of a user count on the channels that use it', async () => {
  const topic = await addTopic({ channels: ['email', 'sms', 'in_app'] })
  const [user, email] = fresh()
  const phone = freshPhone()
  await putUser(user, { email, phone })
  await importFor(phone, { topic: '*', channel: '*', state: 'off' })
  expect(statesIn(await preferencesOf(user), topic)).toEqual({ email: 'on', sms: 'off', in_app: 'on' })
})
