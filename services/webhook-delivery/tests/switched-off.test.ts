import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { expectProblem, post, untilState } from '@notify/test-kit/api'
import { type DispatchGate, startDispatchGate } from '@notify/test-kit/dispatch-gate'
import { freshPath, received, untilReceived } from '@notify/test-kit/webhooks'

let env: TestEnv
let gate: DispatchGate
let topic: string
beforeAll(async () => {
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'webhook-delivery'], {
    apart: ['webhook-delivery'],
    env: {
      'webhook-delivery': { DISPATCH_URL: gate.url, WEBHOOK_RETRY_DELAYS: '1h', WEBHOOK_OWN_FAULT_DELAY: '200ms' },
    },
  })
  topic = await addTopic({})
})
afterEach(() => gate.set('pass'))
afterAll(async () => {
  await env?.stop()
  gate?.stop()
})

async function addTopic(fields: object): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const path = `/api/v1/applications/${env.applicationId}/topics`
  const body = { topic_key, name: 'Changes', channels: ['webhook'], ...fields }
  expect((await env.api('POST', path, { token: env.operatorToken, body })).status).toBe(201)
  return topic_key
}

/** Sends a webhook. @returns the id of the notification */
async function send(path: string, fields: object = { topic }): Promise<string> {
  const { status, body } = await post(env, { channel: 'webhook', recipient: urlOf(path), body: 'New', ...fields })
  expect([status, body.notification_id]).toEqual([202, expect.any(String)])
  return body.notification_id
}

const urlOf = (path: string) => env.stack.receiverUrl + path

async function choose(path: string, state: 'on' | 'off', of = topic): Promise<void> {
  const rule = { address: urlOf(path), topic: of, channel: 'webhook', state }
  expect((await env.api('POST', '/api/v1/preferences/import', { body: { rules: [rule] } })).status).toBe(200)
}

const query = async (text: string, values: unknown[]) => (await env.sql('webhook-delivery').query(text, values)).rows
const deliveryOf = async (id: string) => (await query('select * from deliveries where notification_id = $1', [id]))[0]

/** The first attempt has failed, and an hour passes. */
async function repeat(id: string): Promise<void> {
  await eventually(async () => expect(await deliveryOf(id)).toMatchObject({ charged: 1 }))
  const [{ endpoint_id }] = await query(
    `update deliveries set next_attempt_at = now() where notification_id = $1 returning endpoint_id`,
    [id],
  )
  await query('update endpoints set next_due_at = now() where id = $1 and leased_until is null', [endpoint_id])
}

const switchedOff = { status: 'cancelled', failure_reason: 'recipient_opted_out', retryable: false }

test('an off from between two attempts stops the repetition: the message ends as cancelled, and nobody repeats it', async () => {
  const path = freshPath('500')
  const id = await send(path)
  await untilReceived(env, path, 1)
  await choose(path, 'off')
  await repeat(id)
  await untilState(env, id, { delivery_status: 'cancelled', failure_reason: 'recipient_opted_out' })
  expect(await received(env, path)).toHaveLength(1)
  const delivery = await deliveryOf(id)
  expect(delivery).toMatchObject({ status: 'exhausted', attempts: 1, last_error: 'recipient_opted_out' })
  await untilActivity(env, id, switchedOff)
  const operator = { token: env.operatorToken }
  expect((await env.api('GET', `/api/v1/activity/${id}`, operator)).body.attempts).toHaveLength(1)
  expectProblem(await env.api('POST', `/api/v1/activity/${id}/retry`, operator), 409, 'not_retryable')
  const replay = `/api/v1/webhook-deliveries/${delivery.id}/replay`
  expectProblem(await env.api('POST', replay, operator), 409, 'not_replayable')
})

test('an off from after the acceptance stops the first attempt: nothing arrives', async () => {
  const [path, other] = [freshPath('ok'), freshPath('ok')]
  await env.kill('webhook-delivery')
  const [id, sent] = [await send(path), await send(other)]
  await choose(path, 'off')
  await env.restart('webhook-delivery')
  await untilActivity(env, id, switchedOff)
  await untilState(env, sent, { delivery_status: 'delivered' })
  expect(await received(env, path)).toEqual([])
  expect(await deliveryOf(id)).toMatchObject({ status: 'exhausted', attempts: 0 })
})

test('a repetition goes out where the choice was taken back, and where the topic is required', async () => {
  const [path, needed] = [freshPath('500'), freshPath('500')]
  const required = await addTopic({ kind: 'required' })
  await env.api('POST', '/api/v1/preferences/import', {
    body: { rules: [{ address: urlOf(needed), topic: '*', channel: '*', state: 'off' }] },
  })
  const ids = [await send(path), await send(needed, { topic: required })]
  await Promise.all([untilReceived(env, path, 1), untilReceived(env, needed, 1)])
  await choose(path, 'off')
  await choose(path, 'on')
  for (const id of ids) await repeat(id)
  await Promise.all([untilReceived(env, path, 2), untilReceived(env, needed, 2)])
})

test('while dispatch does not answer, a message of a topic waits, uncharged; others go out and ask nothing', async () => {
  const [path, plain] = [freshPath('ok'), freshPath('ok')]
  gate.set('refuse')
  const id = await send(path)
  // Dispatch is asked again every 200 ms.
  await eventually(async () => {
    const { held, charged } = await deliveryOf(id)
    expect([held > 0, charged]).toEqual([true, 0])
  })
  const asked = gate.calls
  expect(asked).toBeGreaterThan(0)
  await untilState(env, await send(plain, {}), { delivery_status: 'delivered' })
  expect(await received(env, path)).toEqual([])
  gate.set('pass')
  await untilState(env, id, { delivery_status: 'delivered' })
  expect(await received(env, path)).toHaveLength(1)
})

test('a replay of a message that has arrived sends nothing after an off, and the message stays delivered', async () => {
  const path = freshPath('ok')
  const id = await send(path)
  await untilState(env, id, { delivery_status: 'delivered' })
  await choose(path, 'off')
  const { id: deliveryId } = await deliveryOf(id)
  const replay = () => env.api('POST', `/api/v1/webhook-deliveries/${deliveryId}/replay`, { token: env.operatorToken })
  expect((await replay()).status).toBe(202)
  await eventually(async () =>
    expect(await deliveryOf(id)).toMatchObject({ status: 'exhausted', last_error: 'recipient_opted_out', attempts: 1 }),
  )
  expectProblem(await replay(), 409, 'not_replayable')
  await untilState(env, id, { delivery_status: 'delivered' })
  expect(await received(env, path)).toHaveLength(1)
})

test('a message that dispatch does not keep any more is not replayed, nor one that it cannot judge at the moment', async () => {
  const path = freshPath('ok')
  const id = await send(path)
  await untilState(env, id, { delivery_status: 'delivered' })
  const { id: deliveryId } = await deliveryOf(id)
  const replay = () => env.api('POST', `/api/v1/webhook-deliveries/${deliveryId}/replay`, { token: env.operatorToken })
  gate.set('refuse')
  expect((await replay()).status).toBe(503)
  gate.set('pass')
  await env.sql('dispatch').query('delete from notifications where id = $1', [id])
  const refused = await replay()
  expectProblem(refused, 409, 'not_replayable')
  expect(refused.body.detail).toContain('deleted at the end of its retention')
  expect(await deliveryOf(id)).toMatchObject({ status: 'succeeded', attempts: 1 })
})

test('a replay that fails is not tried again once dispatch does not keep the message any more', async () => {
  await query(`update providers set retry_delays = '{3600000}'`, [])
  const path = freshPath('500')
  const id = await send(path)
  await repeat(id)
  await eventually(async () => expect(await deliveryOf(id)).toMatchObject({ status: 'exhausted', attempts: 2 }))
  const { id: deliveryId } = await deliveryOf(id)
  const replay = `/api/v1/webhook-deliveries/${deliveryId}/replay`
  expect((await env.api('POST', replay, { token: env.operatorToken })).status).toBe(202)
  await untilReceived(env, path, 3)
  await env.sql('dispatch').query('delete from notifications where id = $1', [id])
  await repeat(id)
  const ended = { status: 'exhausted', attempts: 3, last_error: 'notification_deleted' }
  await eventually(async () => expect(await deliveryOf(id)).toMatchObject(ended))
  expect(await received(env, path)).toHaveLength(3)
})
