import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { postUntilTaken } from '@notify/test-kit/api'
import { type Application, addTenant, operatorToken, otherAccountEnv } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'

/** Due digests of one tenant; `DIGEST_BACKLOG=10000` for more of them. */
const backlog = Number(process.env.DIGEST_BACKLOG ?? 1500)
/** The digests that may close before one of another tenant: those of the round under way, and of the next one. */
const mostBefore = 200

let env: TestEnv
let neighbour: Application
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch'], { apart: ['dispatch-worker'], env: { all: otherAccountEnv } })
  neighbour = await addTenant(env)
})
afterAll(() => env?.stop())

const query = async (text: string, values: unknown[]) => (await env.sql('dispatch').query(text, values)).rows

async function addEvent({ tenantId, applicationId }: Record<'tenantId' | 'applicationId', string>): Promise<void> {
  const { status } = await env.api('POST', `/api/v1/applications/${applicationId}/events`, {
    token: operatorToken(env, { tenant_id: tenantId, permissions: ['events:manage'] }),
    body: {
      ...{ event_key: 'news', name: 'News', status: 'published', allowed_channels: ['sms'] },
      templates: { sms: { body: '{{ total }} news' } },
      digest: { window: { seconds: 3600 } },
    },
  })
  expect(status).toBe(201)
}

const item = (phone: string) => ({ channel: 'sms', recipient: { phone }, event_key: 'news', priority: 'bulk' })
const timePasses = (tenantId: string) =>
  query('update digests set closes_at = now(), due_at = now() where tenant_id = $1 returning due_at', [tenantId])
const leftOf = async (tenantId: string): Promise<number> =>
  (await query('select count(*)::int as count from digests where tenant_id = $1', [tenantId]))[0].count

test(`${backlog} due digests of a tenant do not delay the one of another`, async () => {
  await addEvent(env)
  await addEvent(neighbour)
  for (let sent = 0; sent < backlog; sent += 100) {
    const requests = Array.from({ length: 100 }, () => item(freshPhone()))
    expect((await postUntilTaken(env, '/api/v1/notifications/batch', { requests })).status).toBe(202)
  }
  const { body } = await env.api('POST', '/api/v1/notifications', {
    token: neighbour.apiKey,
    body: item(freshPhone()),
  })
  expect(await leftOf(env.tenantId)).toBe(backlog)
  await timePasses(env.tenantId)
  await eventually(async () => expect(await leftOf(env.tenantId)).toBeLessThan(backlog))
  const [{ due_at }] = await timePasses(neighbour.tenantId)
  await eventually(async () => expect(await leftOf(neighbour.tenantId)).toBe(0))
  const [ended] = await query('select status, failure_reason from notifications where id = $1', [body.notification_id])
  expect(ended).toEqual({ status: 'cancelled', failure_reason: 'digested' })
  const [{ before }] = await query(
    `select count(*)::int as before from notifications n join notifications own on own.id = $1
     where n.tenant_id = $2 and n.failure_reason = 'digested' and n.updated_at between $3 and own.updated_at`,
    [body.notification_id, env.tenantId, due_at],
  )
  expect(before).toBeLessThanOrEqual(mostBefore)
  await eventually(async () => expect(await leftOf(env.tenantId)).toBe(0), { timeoutMs: 120_000, intervalMs: 100 })
  const [{ count }] = await query(
    `select count(*)::int as count from notifications where tenant_id = $1 and failure_reason = 'digested'`,
    [env.tenantId],
  )
  expect(count).toBe(backlog)
})
