import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { addKey, addTenant, operatorToken, otherAccountEnv } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { postSend } from './codes.ts'

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
  const token = operatorToken(env, { tenant_id: env.tenantId, permissions: ['events:manage'] })
  const body = {
    ...{ event_key: 'otp', name: 'Code', status: 'published', allowed_channels: ['sms'] },
    templates: { sms: { body: slow } },
  }
  await eventually(async () => {
    // The first template starts the threads that render: on a busy machine it may be refused with 503.
    const { status } = await env.api('POST', `/api/v1/applications/${env.applicationId}/events`, { token, body })
    expect(status).toBe(201)
  })
  const send = (token?: string) =>
    postSend(env, { channel: 'sms', recipient: freshPhone() }, token === undefined ? {} : { token })
  for (let at = 0; at < 3; at++) for (const token of [undefined, neighbour.apiKey]) await send(token)
  let isOver = false
  const burstMs = timeOf(Promise.all(Array.from({ length: 200 }, () => send()))).finally(() => {
    isOver = true
  })
  const times: number[] = []
  for (let at = 0; at < 10 && !isOver; at++) {
    const sent = send(neighbour.apiKey)
    times.push(await timeOf(sent))
    expect(await sent).toMatchObject({ status: 200, body: { status: 'sent' } })
  }
  // A busy machine slows some of them. If they waited for the burst, the first would take all of its time, and be the only
  // one.
  const middle = times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)]
  expect(middle).toBeLessThan((await burstMs) / 2)
})

/** Milliseconds that it takes. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const begunMs = performance.now()
  await work
  return performance.now() - begunMs
}
