import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, post, postUntilTaken, untilState } from '@notify/test-kit/api'
import { addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
})
afterAll(() => env?.stop())

const read = (id: string, token = env.operatorToken) =>
  postUntilTaken(env, `/api/v1/activity/${id}/content`, undefined, { token })

test('the content of a message is read with content:read, without its recipient, and each look is in the audit log', async () => {
  const [phone, address] = [freshPhone(), freshAddress()]
  const text = (await post(env, smsTo(phone, { body: 'Your table is ready' }))).body.notification_id
  const content = { subject: 'Table', body: 'Ready. {{ unsubscribe_url }}', template_data: {} }
  const mail = (await post(env, emailTo(address, content))).body.notification_id
  await untilState(env, text, { delivery_status: 'delivered' })
  const { status, body } = await read(text)
  expect([status, body]).toEqual([
    200,
    { notification_id: text, channel: 'sms', content: { text: 'Your table is ready' } },
  ])
  const ofMail = await read(mail)
  expect(ofMail.body.content).toMatchObject({
    subject: 'Table',
    text: expect.stringMatching(/^Ready\. http\S+\/u\/…$/),
  })
  expect(JSON.stringify([body, ofMail.body])).not.toContain(phone.slice(1))
  expect(ofMail.text).not.toContain(address)
  await eventually(async () => {
    const audit = await env.api('GET', `/api/v1/audit-log?action=notification.content_read&resource_id=${text}`, {
      token: env.operatorToken,
    })
    expect(audit.body.items).toHaveLength(1)
    expect(JSON.stringify(audit.body)).not.toContain('table')
  })
})

test('a repeated look is recorded once, and a link that is part of another shows no token', async () => {
  const body = 'https://clicks.example/?to={{ unsubscribe_url | url_encode }}'
  const mail = emailTo(freshAddress(), { subject: 'Table', body, template_data: {} })
  const sent = await postUntilTaken(env, '/api/v1/notifications', mail)
  const id = sent.body.notification_id
  const headers = { 'idempotency-key': 'look-1' }
  for (const _look of [1, 2]) {
    const { body } = await postUntilTaken(env, `/api/v1/activity/${id}/content`, undefined, {
      token: env.operatorToken,
      headers,
    })
    expect(body.content.text).toMatch(/\?to=http\S+%2Fu%2F…$/)
  }
  await eventually(async () => {
    const audit = await env.api('GET', `/api/v1/audit-log?action=notification.content_read&resource_id=${id}`, {
      token: env.operatorToken,
    })
    expect(audit.body.items).toHaveLength(1)
  })
})

test('without the permission, of another tenant, and of what is not kept, nothing is shown', async () => {
  const { notification_id: id } = (await post(env, smsTo(freshPhone()))).body
  const others = ['activity:read', 'activity:retry', 'audit:read', 'providers:manage']
  expectProblem(await read(id, operatorToken(env, { permissions: others })), 403, 'permission_denied')
  const { tenantId } = await addBareTenant(env)
  expectProblem(
    await read(id, operatorToken(env, { tenant_id: tenantId, permissions: ['content:read'] })),
    404,
    'not_found',
  )
  expectProblem(await read('notif_01jd3x8qk5w9t2m4v6b8n0p2r4'), 404, 'not_found')
  await untilState(env, id, { delivery_status: 'delivered' })
  await env.sql('dispatch').query('update notifications set payload = null where id = $1', [id])
  expectProblem(await read(id), 404, 'not_found')
})
