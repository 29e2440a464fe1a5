import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, post, untilState } from '@notify/test-kit/api'
import { addBareTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
})
afterAll(() => env?.stop())

const read = (query = '', token = env.operatorToken) => env.api('GET', `/api/v1/failures?${query}`, { token })

async function sendTo(ending: string, delivery_status: string): Promise<string> {
  const phone = freshPhone(ending)
  const { body } = await post(env, smsTo(phone))
  await untilState(env, body.notification_id, { delivery_status })
  return phone
}

test('failures are grouped by provider and code, with meaning and trend, from refusals and from receipts', async () => {
  const phones = [await sendTo('0003', 'failed'), await sendTo('0003', 'failed'), await sendTo('0002', 'undelivered')]
  const { body } = await eventually(async () => {
    const answer = await read()
    expect(answer.body.items.map((one: { code: string; failures: number }) => [one.code, one.failures])).toEqual([
      ['21211', 2],
      ['30003', 1],
    ])
    return answer
  })
  const [refused] = body.items
  expect(refused).toMatchObject({
    ...{ provider_id: expect.stringMatching(/^prov_/), provider_name: expect.any(String), kind: 'twilio' },
    ...{ channel: 'sms', meaning: expect.stringContaining('21211'), failures_before: 0 },
  })
  expect(refused.buckets).toHaveLength(24)
  // Another hour may have begun since the first.
  const [before, last] = refused.buckets.slice(-2)
  expect(before + last).toBe(2)
  for (const phone of phones) expect(JSON.stringify(body)).not.toContain(phone.slice(1))
  expect((await read('period=7d&channel=sms')).body.items[0].buckets).toHaveLength(7)
  expect((await read('channel=email')).body.items).toEqual([])
})

test('the period before is compared', async () => {
  await env.sql('dispatch').query(`update failure_hours set hour = hour - interval '24 hours' where code = '30003'`)
  await sendTo('0002', 'undelivered')
  await eventually(async () => {
    const { body } = await read()
    expect(body.items.find(({ code }: { code: string }) => code === '30003')).toMatchObject({
      ...{ failures: 1, failures_before: 1 },
    })
  })
})

test('failures of test keys, from refusals and from receipts, are listed apart from those of live keys', async () => {
  const { apiKey: key } = await addKey(
    env,
    { tenantId: env.tenantId, applicationId: env.applicationId },
    { permissions: ['notifications:send'], mode: 'test' },
  )
  const countsOf = async (query: string) => {
    const { body } = await read(query)
    return Object.fromEntries(body.items.map((one: { code: string; failures: number }) => [one.code, one.failures]))
  }
  const live = await countsOf('mode=live')
  for (const ending of ['0003', '0002']) expect((await post(env, smsTo(freshPhone(ending)), { key })).status).toBe(202)
  await eventually(async () => expect(await countsOf('mode=test')).toEqual({ 21211: 1, 30003: 1 }))
  expect(await countsOf('mode=live')).toEqual(live)
  expect((await countsOf(''))['21211']).toBe(live['21211'] + 1)
  expectProblem(await read('mode=both'), 422, 'validation_failed')
})

test('another tenant sees none of them, and a bad period is refused', async () => {
  const { tenantId } = await addBareTenant(env)
  expect((await read('', operatorToken(env, { tenant_id: tenantId }))).body.items).toEqual([])
  expectProblem(await read('period=1y'), 422, 'validation_failed')
  expectProblem(await read('', operatorToken(env, { permissions: ['usage:read'] })), 403, 'permission_denied')
})
