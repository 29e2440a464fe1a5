import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { post, stateOf } from '@notify/test-kit/api'
import { addTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { add, anHour, close, digestsOf, env, fresh, itemOf, operator, timePasses, untilTexts } from './stack.ts'

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

test('a digest whose items lack a variable of a new version of its event waits for the next version', async () => {
  const { event_key, phone } = await fresh()
  const item = await add(event_key, phone, 'Ada')
  const publish = async (body: string) => {
    const path = `/applications/${env.applicationId}/events/${event_key}`
    await operator('PUT', path, { name: 'News', allowed_channels: ['sms'], templates: { sms: { body } } })
    expect((await operator('POST', `${path}/publish`)).status).toBe(200)
  }
  await publish('{{ total }} in {{ city }}')
  const [{ id }] = await digestsOf(event_key)
  await timePasses(event_key)
  await eventually(() => expect(env.logs('dispatch-worker', 5000)).toContain(id))
  expect(await stateOf(env, item)).toMatchObject({ delivery_status: 'scheduled' })
  await publish('{{ total }} of {{ name }}')
  await close(event_key)
  await untilTexts(phone, ['1 of Ada'])
})
