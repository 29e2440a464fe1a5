import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { post } from '@notify/test-kit/api'
import { addTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { anHour, digestsOf, env, itemOf } from './stack.ts'

test('a digest that no provider can send waits for one, and its items fail after HOLD_LIMIT', async () => {
  const { tenantId, applicationId, apiKey: token } = await addTenant(env)
  const event_key = `digest.${crypto.randomUUID()}`
  const made = await env.api('POST', `/api/v1/applications/${applicationId}/events`, {
    token: operatorToken(env, { tenant_id: tenantId, permissions: ['events:manage'] }),
    body: {
      ...{ event_key, name: 'News', status: 'published', allowed_channels: ['sms'], digest: anHour },
      templates: { sms: { body: '{{ total }}' } },
    },
  })
  expect(made.status).toBe(201)
  const accepted = await post(env, itemOf(event_key, freshPhone(), 'Ada'), { token })
  expect(accepted.status).toBe(202)
  await env.admin.query('update dispatch.providers set deleted_at = now() where tenant_id = $1', [tenantId])
  const due = async (ago: string) => {
    const set = `closes_at = now() - interval '${ago}', due_at = now()`
    await env.admin.query(`update dispatch.digests set ${set} where event_key = $1`, [event_key])
  }
  await eventually(async () => {
    await due('1 s')
    expect(await digestsOf(event_key)).toMatchObject([{ is_open: false }])
    expect(env.logs('dispatch-worker', 5000)).toContain('a digest has no message')
  })
  expect(await digestsOf(event_key)).toHaveLength(1)
  await due('25 hours')
  const reason = expect.stringMatching(/^provider_not_configured: /)
  await eventually(async () => expect(await digestsOf(event_key)).toEqual([]))
  const { rows } = await env.admin.query('select status, failure_reason from dispatch.notifications where id = $1', [
    accepted.body.notification_id,
  ])
  expect(rows).toEqual([{ status: 'failed', failure_reason: reason }])
})
