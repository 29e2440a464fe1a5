import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type NodeProcess, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { post, postUntilTaken } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { freshPath, subscribe, untilReceived } from '@notify/test-kit/webhooks'

const processes = ['gateway', 'dispatch-api', 'dispatch-worker', 'callbacks', 'webhook-delivery', 'otp'] as const
const traceOf = (letter: string) => `00-${letter.repeat(32)}-00f067aa0ba902b7-01`

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'webhook-delivery', 'otp'], {
    apart: 'all',
    env: { all: { LOG_LEVEL: 'debug' } },
  })
})
afterAll(() => env?.stop())

type Line = Record<string, unknown>

const linesOf = (process: NodeProcess): Line[] =>
  env
    .logs(process, 20_000)
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))

/** Waits for such a line of a process. */
const untilLogged = (process: NodeProcess, expected: Line) =>
  eventually(() => expect(linesOf(process)).toContainEqual(expect.objectContaining(expected)))

test('a message is found by its ids in the log of every process that handles it', async () => {
  const path = freshPath('ok')
  await subscribe(env, path, { events: ['notification.delivered'] })
  const headers = { traceparent: traceOf('a'), 'x-request-id': 'req-of-the-caller' }
  const { body } = await post(env, smsTo(freshPhone()), { headers })
  await untilActivity(env, body.notification_id, { status: 'delivered' })
  await untilReceived(env, path, 1)
  const trace = { trace_id: 'a'.repeat(32) }
  const message = { ...trace, tenant_id: env.tenantId }
  const request = { ...message, request_id: 'req-of-the-caller' }
  const { notification_id } = body
  await untilLogged('gateway', { ...request, msg: 'request handled' })
  await untilLogged('dispatch-api', { ...request, notification_id, msg: 'committed' })
  await untilLogged('dispatch-worker', { ...message, notification_id, msg: 'attempt' })
  await untilLogged('dispatch-worker', { ...trace, durable: 'dispatch-receipt-sms', msg: 'event handled' })
  await untilLogged('callbacks', { ...trace, route: 'smsStatusCallback', msg: 'request handled' })
  await untilLogged('gateway', { ...message, durable: 'gateway-notification-transactional', msg: 'event handled' })
  await untilLogged('webhook-delivery', { ...message, notification_id, msg: 'webhook attempt' })
  for (const relay of ['dispatch-worker', 'callbacks'] as const) {
    await untilLogged(relay, { task: 'outbox relay', trace_ids: expect.arrayContaining([trace.trace_id]) })
  }
})

test('the log lines of a code have the ids of its request in otp and dispatch', async () => {
  const headers = { traceparent: traceOf('b'), 'x-request-id': 'req-of-a-code' }
  const code = { channel: 'sms', recipient: freshPhone() }
  const { status } = await postUntilTaken(env, '/api/v1/otp/send', code, { headers })
  expect(status).toBe(200)
  const message = { trace_id: 'b'.repeat(32), tenant_id: env.tenantId }
  await untilLogged('otp', { ...message, request_id: 'req-of-a-code', msg: 'request handled' })
  await untilLogged('dispatch-api', { ...message, msg: 'committed' })
  await untilLogged('dispatch-worker', { ...message, msg: 'attempt' })
})

test('a refusal has these ids, and a line about several messages has none of them', async () => {
  const headers = { traceparent: traceOf('c'), 'x-request-id': 'req-refused' }
  expect((await post(env, smsTo('no number'), { headers })).status).toBe(422)
  await untilLogged('gateway', {
    trace_id: 'c'.repeat(32),
    tenant_id: env.tenantId,
    request_id: 'req-refused',
    code: 'invalid_recipient',
  })
  const batches = processes.flatMap(linesOf).filter(({ msg }) => msg === 'accepted' || msg === 'published')
  expect(batches.length).toBeGreaterThan(0)
  for (const line of batches) expect(line).not.toHaveProperty('trace_id')
})
