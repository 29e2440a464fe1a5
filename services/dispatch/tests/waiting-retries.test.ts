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
