import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
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
  return { status: answer.status, text, body: JSON.parse(text) }
}

/** Repeats a request until it has an answer. */
const untilAnswered = (...request: Parameters<typeof sendTest>) =>
  eventually(async () => {
    const answer = await sendTest(...request)
    expect([answer.status, answer.body.outcome, answer.body.channel]).toEqual([200, 'unknown', 'sms'])
    return answer
  })

test('a test message that is requested of two replicas with the same key is sent once', async () => {
  replicas.push(await startReplica(env, 'dispatch-api'))
  replicas.push(await startReplica(env, 'gateway', { DISPATCH_URL: replicas[0]!.url }))
  const [phone, key] = [freshPhone('0005'), crypto.randomUUID()]
  const answers = await Promise.all([sendTest(phone, key), sendTest(phone, key, replicas[1]!.url)])
  // On a busy machine a gateway may not wait as long as the carrier is waited for.
  for (const { status } of answers) expect([200, 409, 503]).toContain(status)
  const first = await untilAnswered(phone, key)
  expect((await untilAnswered(phone, key, replicas[1]!.url)).text).toBe(first.text)
  expect(await env.messages({ to: phone })).toHaveLength(1)
})

test('after the end of the process that sent it, the outcome of a test message is unknown, and nothing is sent again', async () => {
  const [phone, key] = [freshPhone('0005'), crypto.randomUUID()]
  const lost = sendTest(phone, key)
  await eventually(async () => expect(await env.messages({ to: phone })).toHaveLength(1))
  await env.kill('dispatch-api')
  await lost
  await env.restart('dispatch-api')
  await untilAnswered(phone, key)
  expect(await env.messages({ to: phone })).toHaveLength(1)
})
