import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { verifyWebhook } from '@notify/sdk'
import { type DispatchGate, type GateMode, startDispatchGate } from '@notify/test-kit/dispatch-gate'
import { freshPath, untilReceived } from '@notify/test-kit/webhooks'

let env: TestEnv
let gate: DispatchGate
beforeAll(async () => {
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'webhook-delivery'], {
    apart: ['webhook-delivery'],
    env: { 'webhook-delivery': { DISPATCH_URL: gate.url } },
  })
})
afterEach(() => gate.set('pass'))
afterAll(async () => {
  await env?.stop()
  gate?.stop()
})

const base = '/api/v1/webhook-subscriptions'
let serial = 0
const operator = (method: string, path: string, body?: object, key?: string) =>
  env.api(method, path, {
    token: env.operatorToken,
    ...(body ? { body } : {}),
    ...(key ? { headers: { 'idempotency-key': key } } : {}),
  })
const freshKey = () => `ask-${serial++}`
const freshBody = () => ({
  application_id: env.applicationId,
  url: env.stack.receiverUrl + freshPath('ok'),
  events: ['notification.failed'],
})
const create = (body: object, key?: string) => operator('POST', base, body, key)
const rotate = (id: string, key?: string) => operator('POST', `${base}/${id}/rotate-secret`, undefined, key)

const subscriptions = async () => (await operator('GET', `${base}?limit=100`)).body.items as { provider_id: string }[]
/** The providers of dispatch that sign for one subscription. */
const providers = async () => {
  const { items } = (await operator('GET', '/api/v1/providers?channel=webhook&limit=100')).body
  return (items as { provider_id: string; subscription_id: string | null }[])
    .filter(({ subscription_id }) => subscription_id)
    .map(({ provider_id }) => provider_id)
    .toSorted()
}

/** A minute passes for what is being created. */
const letGiveUp = () =>
  env
    .sql('webhook-delivery')
    .query(`update providers set updated_at = now() - interval '2 minutes' where reserved_for is not null`)

/** Each provider signs for a subscription, and nothing of a creation is left. */
async function untilNothingIsHalf(): Promise<void> {
  await letGiveUp()
  await eventually(async () => {
    const kept = (await subscriptions()).map(({ provider_id }) => provider_id)
    expect(await providers()).toEqual(kept.toSorted())
    const { rows } = await env.sql('webhook-delivery').query('select id from providers where own')
    expect(rows.map(({ id }) => id).toSorted()).toEqual(kept.toSorted())
  })
}

async function expectSignedBy(path: string, id: string, ...secrets: string[]): Promise<void> {
  await operator('POST', `${base}/${id}/test`)
  const [first] = await untilReceived(env, path, 1)
  expect(first!.headers['x-svc-signature']!.split(',')).toHaveLength(secrets.length)
  for (const secret of secrets) expect(() => verifyWebhook(first!.headers, first!.body, secret)).not.toThrow()
}

test('dispatch is down: 503 with Retry-After, nothing is made, and the same key succeeds when it is back', async () => {
  const { subscription_id } = (await create(freshBody())).body
  const before = await subscriptions()
  gate.set('refuse')
  const [body, key] = [freshBody(), freshKey()]
  const refused = [await create(body, key), await create(freshBody()), await rotate(subscription_id, key)]
  expect(refused.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(Array(3).fill([503, '1']))
  expect(await subscriptions()).toEqual(before)
  gate.set('pass')
  const [made, rotated] = [await create(body, key), await rotate(subscription_id, key)]
  expect([made.status, rotated.status]).toEqual([201, 200])
  expect((await create(body, key)).text).toBe(made.text)
  await untilNothingIsHalf()
})

const steps: [string, GateMode][] = [
  ['before dispatch has the request', 'loseRequest'],
  ['after dispatch has committed, before the answer arrives', 'loseAnswer'],
]

/** Kills webhook-delivery in the middle of a request. @returns the response to its repetition */
async function crashDuring(mode: GateMode, request: () => Promise<ApiResponse>): Promise<ApiResponse> {
  gate.set(mode)
  const answer = request().catch(() => undefined)
  await eventually(() => expect(gate.lost).toBeGreaterThan(0))
  await env.kill('webhook-delivery')
  gate.set('pass')
  await env.restart('webhook-delivery')
  await answer
  return eventually(async () => {
    const repeated = await request()
    expect(repeated.status).toBeLessThan(300)
    return repeated
  })
}

test.each(steps)(
  'a crash %s: a creation that is repeated makes one subscription, whose secret signs',
  async (_, mode) => {
    const [path, key] = [freshPath('ok'), freshKey()]
    const body = { ...freshBody(), url: env.stack.receiverUrl + path }
    const before = (await subscriptions()).length
    const made = await crashDuring(mode, () => create(body, key))
    expect((await subscriptions()).length).toBe(before + 1)
    await expectSignedBy(path, made.body.subscription_id, made.body.secret)
    await untilNothingIsHalf()
  },
)

test.each(steps)('a crash %s: a rotation that is repeated with its key rotates once', async (_step, mode) => {
  const [path, key] = [freshPath('ok'), freshKey()]
  const { subscription_id, secret } = (await create({ ...freshBody(), url: env.stack.receiverUrl + path })).body
  const rotated = await crashDuring(mode, () => rotate(subscription_id, key))
  expect((await rotate(subscription_id, key)).text).toBe(rotated.text)
  await expectSignedBy(path, subscription_id, rotated.body.secret, secret)
})

test('a rotation whose answer is lost still takes effect: its event brings the copy', async () => {
  const path = freshPath('ok')
  const { subscription_id, provider_id, secret } = (await create({ ...freshBody(), url: env.stack.receiverUrl + path }))
    .body
  gate.set('loseAnswer')
  expect((await rotate(subscription_id)).status).toBe(503)
  await eventually(async () => {
    const { rows } = await env
      .sql('webhook-delivery')
      .query('select revision from providers where id = $1', [provider_id])
    expect(rows).toEqual([{ revision: 2 }])
  })
  await operator('POST', `${base}/${subscription_id}/test`)
  const [first] = await untilReceived(env, path, 1)
  expect(first!.headers['x-svc-signature']!.split(',')).toHaveLength(2)
  expect(() => verifyWebhook(first!.headers, first!.body, secret)).not.toThrow()
})

test('rotations of one moment, from both ends, all sign, and both sides know the newest', async () => {
  const path = freshPath('ok')
  const { subscription_id, provider_id, secret } = (await create({ ...freshBody(), url: env.stack.receiverUrl + path }))
    .body
  const [here, there] = await Promise.all([
    rotate(subscription_id),
    operator('POST', `/api/v1/providers/${provider_id}/rotate-secret`),
  ])
  expect([here.status, there.status]).toEqual([200, 200])
  await eventually(async () => {
    const { rows } = await env
      .sql('webhook-delivery')
      .query('select revision from providers where id = $1', [provider_id])
    expect(rows).toEqual([{ revision: 3 }])
  })
  await expectSignedBy(path, subscription_id, here.body.secret, there.body.secret, secret)
})

test('a subscription that is deleted while its secret is rotated leaves no secret behind', async () => {
  const { subscription_id, provider_id } = (await create(freshBody())).body
  const [rotated, deleted] = await Promise.all([
    rotate(subscription_id),
    operator('DELETE', `${base}/${subscription_id}`),
  ])
  expect([deleted.status, [200, 404]]).toEqual([204, expect.arrayContaining([rotated.status])])
  await untilNothingIsHalf()
  await eventually(async () => expect((await operator('GET', `/api/v1/providers/${provider_id}`)).status).toBe(404))
})
