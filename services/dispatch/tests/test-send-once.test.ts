import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { type Replica, startReplica } from '@notify/test-kit/processes'
import { freshPhone } from '@notify/test-kit/sms'

let env: TestEnv
const replicas: Replica[] = []
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'consent'], { apart: ['dispatch-api'] })
})
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.end('SIGKILL')))
  await env?.stop()
})

/** Asks a gateway for a test message to a number whose carrier accepts and never answers. */
async function sendTest(phone: string, key: string, url = env.urls.gateway!) {
  const answer = await fetch(`${url}/api/v1/applications/${env.applicationId}/events/order.shipped/test`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${env.operatorToken}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ channel: 'sms', recipient: phone, data: { name: 'Ada', order: 'A-1' } }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
}

test('a test message that is requested of two replicas with the same key is sent once', async () => {
  replicas.push(await startReplica(env, 'dispatch-api'))
  replicas.push(await startReplica(env, 'gateway', { DISPATCH_URL: replicas[0]!.url }))
  const [phone, key] = [freshPhone('0005'), crypto.randomUUID()]
  const answers = await Promise.all([sendTest(phone, key), sendTest(phone, key, replicas[1]!.url)])
  for (const answer of answers) if (answer.status !== 200) expectProblem(answer, 409, 'idempotency_in_progress')
  const [first, again] = [await sendTest(phone, key), await sendTest(phone, key, replicas[1]!.url)]
  expect([first.status, first.body.outcome, again.text]).toEqual([200, 'unknown', first.text])
  expect(await env.messages({ to: phone })).toHaveLength(1)
})

test('after the end of the process that sent it, the outcome of a test message is unknown, and nothing is sent again', async () => {
  const [phone, key] = [freshPhone('0005'), crypto.randomUUID()]
  const lost = sendTest(phone, key)
  await eventually(async () => expect(await env.messages({ to: phone })).toHaveLength(1))
  await env.kill('dispatch-api')
  expect((await lost).status).toBeGreaterThanOrEqual(500)
  await env.restart('dispatch-api')
  expectProblem(await sendTest(phone, key), 409, 'idempotency_in_progress')
  await eventually(async () => {
    const { status, body } = await sendTest(phone, key)
    expect([status, body.outcome, body.channel]).toEqual([200, 'unknown', 'sms'])
  })
  expect(await env.messages({ to: phone })).toHaveLength(1)
})
