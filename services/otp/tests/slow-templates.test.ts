import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { addKey, addTenant, operatorToken, otherAccountEnv } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { postSend } from './codes.ts'

/** Less than the calls with slow codes take. */
const longestMs = 1500

let env: TestEnv
let neighbour: { apiKey: string }
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp'], {
    apart: ['dispatch-api', 'otp'],
    env: { all: { ...otherAccountEnv, SENDS_PER_APPLICATION: '100000', SENDS_PER_COUNTRY: '100000' } },
  })
  neighbour = await addKey(env, await addTenant(env), { permissions: ['otp:send'] })
})
afterAll(() => env?.stop())

/** Takes tens of milliseconds, close to what a template may take. */
const slow = '{{ code }}{% for i in (1..6000) %}{% if i == 0 %}x{% endif %}{% endfor %}'

test('codes of a tenant whose template is slow do not delay those of another', async () => {
  const { status } = await env.api('POST', `/api/v1/applications/${env.applicationId}/events`, {
    token: operatorToken(env, { tenant_id: env.tenantId, permissions: ['events:manage'] }),
    body: {
      ...{ event_key: 'otp', name: 'Code', status: 'published', allowed_channels: ['sms'] },
      templates: { sms: { body: slow } },
    },
  })
  expect(status).toBe(201)
  const send = (token?: string) =>
    postSend(env, { channel: 'sms', recipient: freshPhone() }, token === undefined ? {} : { token })
  for (let at = 0; at < 3; at++) for (const token of [undefined, neighbour.apiKey]) await send(token)
  const burst = Array.from({ length: 200 }, () => send())
  const times: number[] = []
  for (let at = 0; at < 10; at++) {
    const begunMs = performance.now()
    const sent = await send(neighbour.apiKey)
    expect([sent.status, sent.body.status]).toEqual([200, 'sent'])
    times.push(performance.now() - begunMs)
  }
  expect(Math.max(...times)).toBeLessThan(longestMs)
  await Promise.all(burst)
})
