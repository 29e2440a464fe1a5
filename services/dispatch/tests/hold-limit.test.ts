import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { retry } from '@notify/test-kit/activity'
import { untilState } from '@notify/test-kit/api'
import { refuses, type StubCarrier, startStubCarrier, takes } from '@notify/test-kit/carriers'
import { send, sendUntilTaken } from '@notify/test-kit/sms'

const reason = 'No provider of this channel was available for too long'

let carrier: StubCarrier
let env: TestEnv
beforeAll(async () => {
  carrier = await startStubCarrier()
  const sending = { TWILIO_API_URL: carrier.url, SEND_RETRY_DELAYS: '100ms', HOLD_LIMIT: '3s' }
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    withSender: true,
    env: { 'dispatch-worker': sending, 'dispatch-sender': sending },
  })
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})

test('a message without a provider that may be called waits for a limited time; an operator can send it again', async () => {
  carrier.answer = refuses(401, 20003, 'Authenticate')
  for (let n = 0; n < 30; n++) await send(env)
  await eventually(async () => expect(await isHeldBack()).toBe(true))
  const calls = carrier.received.length
  const held = await Promise.all(Array.from({ length: 10 }, () => sendUntilTaken(env)))
  const states = []
  for (const id of held) states.push(await untilState(env, id, { delivery_status: 'failed', retryable: true }))
  // But for those that found out whether the provider works again.
  expect(carrier.received.length).toBeLessThan(calls + 10)
  const [first] = states.filter(({ failure_reason }) => failure_reason === reason)
  expect(first).toMatchObject({
    attempts: [{ outcome: 'rejected_retryable', provider_code: 'provider_unavailable', provider_id: null }],
  })
  carrier.answer = takes
  // One message at a time finds out whether the provider works again; others fail at once until it does.
  await eventually(async () => {
    await send(env)
    expect(await isHeldBack()).toBe(false)
  })
  expect((await retry(env, first.notification_id)).status).toBe(202)
  await untilState(env, first.notification_id, { delivery_status: 'sent', retry_count: 1 })
})

async function isHeldBack(): Promise<boolean> {
  const metrics = await (await fetch(env.stack.metricsUrls['dispatch-sender']!)).text()
  return /^notify_provider_held_back\{.* 1$/m.test(metrics)
}

test('a refusal of one message shows that the account works: its queue is no longer held', async () => {
  const countHeld = async () => (await env.sql('dispatch').query('select from held_queues')).rowCount
  carrier.answer = refuses(401, 20003, 'Authenticate')
  await eventually(async () => {
    await send(env)
    expect(await countHeld()).toBe(1)
  })
  carrier.answer = refuses(400, 21211, 'Invalid To Phone Number')
  await eventually(async () => {
    await send(env)
    expect(await countHeld()).toBe(0)
  })
})

test('a message whose payload cannot be read fails after the same time, and can be sent again once it can be', async () => {
  carrier.answer = takes
  const id = await send(env, undefined, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const sql = env.sql('dispatch')
  const { rows } = await sql.query('select payload from notifications where id = $1', [id])
  const change = (payload: Buffer, due: string) =>
    sql.query(`update notifications set payload = $2 ${due} where id = $1`, [id, payload])
  await change(Buffer.from('of a key that is gone'), ', send_at = now(), next_attempt_at = now()')
  const { attempts, failure_reason } = await untilState(env, id, { delivery_status: 'failed', retryable: true })
  expect(failure_reason).toMatch(/internal error/)
  expect(attempts).toMatchObject([
    { outcome: 'rejected_retryable', provider_code: 'internal_error', provider_id: null },
  ])
  await change(rows[0].payload, '')
  expect((await retry(env, id)).status).toBe(202)
  await untilState(env, id, { delivery_status: 'sent', retry_count: 1 })
})

test('a message whose payload can be read again within that time is sent', async () => {
  carrier.answer = takes
  const id = await send(env, undefined, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  const sql = env.sql('dispatch')
  const { rows } = await sql.query('select payload from notifications where id = $1', [id])
  await sql.query('update notifications set payload = $2, send_at = now(), next_attempt_at = now() where id = $1', [
    id,
    Buffer.from('of a key that is gone'),
  ])
  // Held, and put back: no attempt is left.
  await eventually(async () => {
    const { rowCount } = await sql.query(
      `update notifications set payload = $2 where id = $1 and held_since is not null and not sending`,
      [id, rows[0].payload],
    )
    expect(rowCount).toBe(1)
  })
  const { attempts } = await untilState(env, id, { delivery_status: 'sent', retry_count: 0 })
  expect(attempts).toMatchObject([{ outcome: 'accepted' }])
})
