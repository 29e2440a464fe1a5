import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { type DispatchGate, startDispatchGate } from '@notify/test-kit/dispatch-gate'
import { freshUser, inbox, sendInApp, untilInbox, userToken } from '@notify/test-kit/inbox'

let env: TestEnv
let gate: DispatchGate
beforeAll(async () => {
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    apart: ['inbox-stream'],
    env: { 'inbox-stream': { DISPATCH_URL: gate.url } },
  })
})
afterEach(() => gate.set('pass'))
afterAll(async () => {
  await env?.stop()
  gate?.stop()
})

async function addTopic(): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const path = `/api/v1/applications/${env.applicationId}/topics`
  const body = { topic_key, name: 'Weekly news', channels: ['in_app'] }
  expect((await env.api('POST', path, { token: env.operatorToken, body })).status).toBe(201)
  return topic_key
}

const changeOf = (topic: string, state: 'on' | 'off') => ({ rules: [{ topic, channel: 'in_app', state }] })

test('a change of a user that was answered 503 while inbox-stream was frozen is not made when it continues', async () => {
  const [user, topic, other] = [freshUser(), await addTopic(), await addTopic()]
  const token = await userToken(env, user)
  await sendInApp(env, user)
  const { notifications } = await untilInbox(env, token, 1)
  const path = `/api/v1/inbox/${notifications[0].id}`
  const changes: (() => Promise<ApiResponse>)[] = [
    () => env.api('PATCH', '/api/v1/preferences', { token, body: changeOf(topic, 'on') }),
    () => env.api('POST', '/api/v1/inbox/read-all', { token }),
    () => env.api('PATCH', path, { token, body: { is_read: true } }),
    () => env.api('DELETE', path, { token }),
  ]
  const details: string[] = []
  await env.kill('inbox-stream', 'SIGSTOP')
  try {
    const answers = await Promise.all(changes.map((change) => change()))
    for (const answer of answers) expectProblem(answer, 503, 'service_unavailable')
    details.push(...answers.map(({ body }) => body.detail))
    const off = await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: changeOf(topic, 'off') })
    expect(off.status).toBe(200)
  } finally {
    await env.kill('inbox-stream', 'SIGCONT')
  }
  // Requests that waited in the sockets are read before this one.
  const { status, body } = await env.api('PATCH', '/api/v1/preferences', { token, body: changeOf(other, 'off') })
  expect([status, body.rules.map((rule: { state: string }) => rule.state)]).toEqual([200, ['off', 'off']])
  const { unread_count, notifications: kept } = (await inbox(env, token)).body
  expect([unread_count, kept]).toEqual([1, [expect.objectContaining({ is_read: false })]])
  for (const detail of details) expect(detail).toContain('may have taken effect')
})

test('dispatch is not asked for longer than the caller of inbox-stream waits', async () => {
  const token = await userToken(env, freshUser())
  const topic = await addTopic()
  const change = { token, headers: { 'x-timeout-ms': '2500' }, body: changeOf(topic, 'on') }
  // Repeated on a busy machine, where the time may be over before dispatch is asked.
  await eventually(async () => {
    gate.set('loseRequest')
    const began = performance.now()
    const answer = await env.call('inbox-stream', 'PATCH', '/api/v1/preferences', change)
    expectProblem(answer, 503, 'service_unavailable')
    expect(performance.now() - began).toBeLessThan(4900)
    expect(gate.lost).toBe(1)
  })
})
