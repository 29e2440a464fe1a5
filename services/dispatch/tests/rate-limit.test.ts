import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { becomeDue, inAnHour, untilState } from '@notify/test-kit/api'
import { changeProviders, type StubCarrier, startStubCarrier, takes } from '@notify/test-kit/carriers'
import { freshPhone, send, sendUntilTaken } from '@notify/test-kit/sms'

const perSecond = 20
let carrier: StubCarrier
let env: TestEnv
const calls: { to: string; atMs: number }[] = []
beforeAll(async () => {
  carrier = await startStubCarrier()
  carrier.answer = (response, form) => {
    calls.push({ to: form.get('To')!, atMs: performance.now() })
    takes(response)
  }
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-api'],
    env: { 'dispatch-worker': { TWILIO_API_URL: carrier.url } },
  })
  await changeProviders(env, (providers) => providers.map((one) => ({ ...one, rate_limit_per_second: perSecond })))
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})

test('a provider’s rate delays and never fails: two lanes share it, and what cannot wait goes first', async () => {
  const campaign = Array.from({ length: 120 }, () => freshPhone())
  const later = { priority: 'bulk', send_at: inAnHour() }
  const ids = await Promise.all(campaign.map((phone) => sendUntilTaken(env, phone, later)))
  // Due together: otherwise it could be through before a busy machine has accepted the code.
  await becomeDue(env, ...ids)
  await eventually(() => expect(calls.length).toBeGreaterThanOrEqual(8))
  const code = freshPhone()
  const id = await send(env, code)
  const before = calls.length
  await untilState(env, id, { delivery_status: 'sent' })
  const passed = calls.findIndex(({ to }) => to === code)
  // It waited for less than what a second lets begin, and the campaign was not through by then: that waited its turn.
  expect(passed - before).toBeLessThan(perSecond)
  expect(passed).toBeLessThan(campaign.length)
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select status, count(*)::int as count from dispatch.notifications where id = any ($1) group by status',
      [[...ids, id]],
    )
    expect(rows).toEqual([{ status: 'sent', count: campaign.length + 1 }])
  })
  // Each once, in one attempt: waiting is none.
  expect(calls.map(({ to }) => to).toSorted()).toEqual([...campaign, code].toSorted())
  const { rows } = await env.admin.query(
    'select max(attempt_count) as attempts, max(round_attempts) as places from dispatch.notifications where id = any ($1)',
    [ids],
  )
  expect(rows).toEqual([{ attempts: 1, places: 1 }])
  // All but the first turn of each part came at the rate; the first may have reached the carrier late.
  const lastedMs = calls.at(-1)!.atMs - calls[0]!.atMs
  expect(lastedMs).toBeGreaterThan(((calls.length - 4) / perSecond) * 1000 - 400)
})
