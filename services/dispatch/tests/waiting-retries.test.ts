import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilState } from '@notify/test-kit/api'
import { refuses, type StubCarrier, startStubCarrier } from '@notify/test-kit/carriers'
import { send } from '@notify/test-kit/sms'

let carrier: StubCarrier
let env: TestEnv
beforeAll(async () => {
  carrier = await startStubCarrier()
  env = await TestEnv.start(['gateway', 'dispatch'], { env: { 'dispatch-worker': { TWILIO_API_URL: carrier.url } } })
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})

/** The values of a gauge of the worker. */
async function valuesOf(name: string): Promise<number[]> {
  const text = await (await fetch(env.stack.metricsUrls['dispatch-worker']!)).text()
  return [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) => Number(value))
}

test('messages that wait for a retry, or for the time their caller set, are neither due nor late', async () => {
  carrier.answer = refuses(503, 20500, 'Internal', { 'retry-after': '3600' })
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  await send(env, undefined, { send_at: inAnHour })
  const refused = await Promise.all([send(env), send(env), send(env)])
  for (const id of refused)
    await untilState(env, id, { delivery_status: 'queued', attempts: [{ outcome: 'rejected_retryable' }] })
  await eventually(async () => expect(await valuesOf('notify_waiting')).toEqual([refused.length]))
  expect(await valuesOf('notify_queued')).toEqual([0])
  const oldest = await valuesOf('notify_queued_oldest_seconds')
  expect(oldest.length).toBeGreaterThan(3)
  expect(oldest.filter((seconds) => seconds !== 0)).toEqual([])
})

test('messages that expire at once end in batches with a pause between them, so that their facts delay no others', async () => {
  const count = 2000
  const query = async (text: string, values: unknown[]) => (await env.sql('dispatch').query(text, values)).rows
  await query(
    `insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits, payload,
       status, next_attempt_at, expires_at)
     select 'notif_' || gen_random_uuid(), $1, $2, 'sms', 'bulk', 'live', '+1***', 'index ' || i, 1, '', 'scheduled',
       now() + interval '1 day', now()
     from generate_series(1, $3::int) as i`,
    [env.tenantId, env.applicationId, count],
  )
  const batches = () =>
    query(
      `select count(*)::int, extract(epoch from updated_at - lag(updated_at) over (order by updated_at)) * 1000 as pause
       from notifications where tenant_id = $1 and failure_reason = 'expired' group by updated_at order by updated_at`,
      [env.tenantId],
    )
  await eventually(async () => expect((await batches()).reduce((sum, one) => sum + one.count, 0)).toBe(count))
  const [, ...later] = await batches()
  expect(later.length).toBeGreaterThanOrEqual(3)
  for (const { pause } of later) expect(Number(pause)).toBeGreaterThan(240)
})
