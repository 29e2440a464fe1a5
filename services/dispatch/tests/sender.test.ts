import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp', 'callbacks'], {
    withSender: true,
    apart: ['dispatch-worker'],
  })
})
afterAll(() => env?.stop())

const sendCode = (recipient: string) => postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient })
const sendBulk = (recipient: string) =>
  env.api('POST', '/api/v1/notifications', { body: { ...smsTo(recipient), priority: 'bulk' } })
const arrivals = (recipient: string) => env.messages({ to: recipient })

test('a code reaches its carrier while the worker, which relays the outbox and sends campaigns, stands still', async () => {
  const [first, second, bulk] = [freshPhone(), freshPhone(), freshPhone()]
  await env.kill('dispatch-worker', 'SIGSTOP')
  try {
    expect((await sendCode(first)).status).toBe(200)
    await eventually(async () => expect(await arrivals(first)).toHaveLength(1))
    expect((await sendBulk(bulk)).status).toBe(202)
    expect((await sendCode(second)).status).toBe(200)
    await eventually(async () => expect(await arrivals(second)).toHaveLength(1))
    expect(await arrivals(bulk)).toHaveLength(0)
  } finally {
    await env.kill('dispatch-worker', 'SIGCONT')
  }
  await eventually(async () => expect(await arrivals(bulk)).toHaveLength(1))
  // The relay has published the codes' work as well by now, which sends nothing twice.
  await eventually(async () => {
    const { rows } = await env.sql('dispatch').query('select from outbox where published_at is null')
    expect(rows).toHaveLength(0)
  })
  expect(await arrivals(first)).toHaveLength(1)
  expect(await arrivals(second)).toHaveLength(1)
})
