import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { type Account, report } from '@notify/test-kit/callbacks'
import { type DispatchGate, startDispatchGate } from '@notify/test-kit/dispatch-gate'

let env: TestEnv
let gate: DispatchGate
beforeAll(async () => {
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['callbacks'],
    env: { callbacks: { DISPATCH_URL: gate.url } },
  })
  // No event reaches callbacks.
  await env.kill('nats')
})
afterEach(() => gate.set('pass'))
afterAll(async () => {
  await env?.restart('nats')
  await env?.stop()
  gate?.stop()
})

const unknownAccount = (): Account => ({
  sid: `AC${randomBytes(16).toString('hex')}`,
  authToken: randomBytes(16).toString('hex'),
  providerId: newId('prov'),
})

async function connectAccount(): Promise<Account> {
  const account = unknownAccount()
  const credentials = { account_sid: account.sid, auth_token: account.authToken, from: '+15005550006' }
  const { status, body } = await env.api('POST', '/api/v1/providers', {
    token: env.operatorToken,
    body: { channel: 'sms', kind: 'twilio', name: 'New', credentials },
  })
  expect(status).toBe(201)
  return { ...account, providerId: body.provider_id }
}

const deliver = (account: Account) =>
  report(env, { notificationId: newId('notif'), attemptId: newId('att') }, 'delivered', { account })

const emailTo = (providerId: string) =>
  env.api('POST', `/api/v1/callbacks/email/${providerId}`, {
    key: null,
    raw: '{}',
    headers: { 'content-type': 'text/plain' },
  })

test('a receipt that arrives before the event of its provider is recorded', async () => {
  const account = await connectAccount()
  const answer = await deliver(account)
  expect([answer.status, answer.body]).toEqual([200, { status: 'recorded' }])
  expectProblem(await deliver({ ...account, authToken: 'x'.repeat(32) }), 403, 'invalid_signature')
})

test('while dispatch is away an unknown account is 503 with Retry-After, later what it is', async () => {
  const account = await connectAccount()
  const [stranger, unknownId] = [unknownAccount(), newId('prov')]
  gate.set('refuse')
  for (const answer of [await deliver(account), await deliver(stranger), await emailTo(unknownId)]) {
    expectProblem(answer, 503, 'service_unavailable')
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  }
  expectProblem(await emailTo('x'), 404, 'not_found')
  gate.set('pass')
  expect((await deliver(account)).status).toBe(200)
  expectProblem(await deliver(stranger), 403, 'invalid_signature')
  expectProblem(await emailTo(unknownId), 404, 'not_found')
})

test('an account that nobody has is asked for once in some seconds, and many of them cost dispatch a few calls', async () => {
  gate.set('pass')
  const stranger = unknownAccount()
  for (let i = 0; i < 5; i++) expectProblem(await deliver(stranger), 403, 'invalid_signature')
  expect(gate.calls).toBe(1)
  const begunAt = performance.now()
  const answers = await Promise.all(Array.from({ length: 300 }, () => deliver(unknownAccount())))
  const seconds = Math.ceil((performance.now() - begunAt) / 1000)
  expect(gate.calls).toBeLessThanOrEqual(1 + 20 * (seconds + 1))
  const statuses = answers.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([403, 503]))
})
