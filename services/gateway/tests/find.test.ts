import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { indexOfToken } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { activity, itemOf, storeItems } from '@notify/test-kit/activity'
import { asOperator, expectProblem, post } from '@notify/test-kit/api'
import { addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { optIn } from '@notify/test-kit/whatsapp'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'consent'])
})
afterAll(() => env?.stop())

const call = (method: string, path: string, body?: unknown, token = env.operatorToken) =>
  asOperator(env, method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) })
const lookUp = async (recipient: string, token = env.operatorToken) => {
  const { status, body } = await call('POST', '/recipients/lookup', { recipient }, token)
  expect(status).toBe(200)
  return body as { recipient_token: string; recipient_tag: string }
}

test('a token stands for a recipient in the activity, suppressions and consents, and tells nothing about it', async () => {
  const [phone, address] = [freshPhone(), freshAddress()]
  await post(env, smsTo(phone))
  await post(env, emailTo(address))
  await optIn(env, phone)
  await call('POST', '/suppressions', { channel: 'email', recipient: address })
  const ofPhone = await lookUp(phone)
  expect(ofPhone.recipient_token).toMatch(/^rcp_[\w-]{22}$/)
  await eventually(async () => {
    const { body } = await call('GET', `/activity?recipient_token=${ofPhone.recipient_token}`)
    expect(body.items).toHaveLength(1)
    expect(body.items[0].recipient_tag).toBe(ofPhone.recipient_tag)
  })
  const { body: consent } = await call('GET', `/whatsapp/opt-ins/${ofPhone.recipient_token}`)
  expect(consent).toMatchObject({ phone_e164: phone, status: 'active' })
  const ofAddress = await lookUp(address.toUpperCase())
  const { body: suppressed } = await call('GET', `/suppressions?recipient_token=${ofAddress.recipient_token}`)
  expect(suppressed.items).toEqual([expect.objectContaining({ recipient_tag: ofAddress.recipient_tag })])
  const { body: counted } = await call('POST', '/activity/retries', {
    recipient_token: ofPhone.recipient_token,
    dry_run: true,
  })
  expect(counted.count).toBe(0)
})

test("another tenant's token finds, counts and retries nothing, and a text that is no token is refused", async () => {
  const phone = freshPhone()
  await post(env, smsTo(phone))
  const other = await addBareTenant(env)
  const token = operatorToken(env, { tenant_id: other.tenantId, permissions: ['activity:read'] })
  const { recipient_token } = await lookUp(phone, token)
  expect(recipient_token).not.toBe((await lookUp(phone)).recipient_token)
  const theirs = { tenant_id: other.tenantId, application_id: other.applicationId, status: 'failed', retryable: true }
  await storeItems(env, [itemOf(env, { ...theirs, recipient_index: indexOfToken(recipient_token)! })])
  const found = (by: string) => activity(env, { recipient_token }, by)
  expect((await found(token)).body).toMatchObject({ total_count: 1, items: [expect.anything()] })
  expect((await found(env.operatorToken)).body).toMatchObject({ total_count: 0, items: [] })
  const { body: counted } = await call('POST', '/activity/retries', { recipient_token, dry_run: true })
  expect(counted.count).toBe(0)
  const { body: job } = await call('POST', '/activity/retries', { recipient_token })
  await eventually(async () => {
    const { body } = await call('GET', `/activity/retries/jobs/${job.retry_id}`)
    expect(body).toMatchObject({ status: 'completed', count: 0, processed: 0 })
  })
  expectProblem(await call('GET', `/activity?recipient_token=${encodeURIComponent(phone)}`), 422, 'validation_failed')
  expectProblem(await call('GET', '/suppressions?recipient_token=rcp_short'), 422, 'validation_failed')
  expectProblem(await call('POST', '/recipients/lookup', { recipient: '' }), 422, 'validation_failed')
})

test('a key, a request and an event are found by the whole id, in the own tenant', async () => {
  const { body: answer, headers } = await post(env, smsTo(freshPhone()))
  expect(answer.notification_id).toBeDefined()
  const requestId = headers.get('x-request-id')!
  await eventually(async () => {
    const { body } = await call('GET', `/find?id=${requestId}`)
    expect(body.items).toEqual([
      { kind: 'request', id: requestId, application_id: env.applicationId, application_name: 'Demo Shop' },
    ])
  })
  await post(env, {
    channel: 'sms',
    recipient: freshPhone(),
    event_key: 'order.shipped',
    data: { name: 'Ada', order: 'A' },
  })
  await eventually(async () => {
    const { body } = await call('GET', '/find?id=order.shipped')
    expect(body.items).toEqual([expect.objectContaining({ kind: 'event', application_id: env.applicationId })])
  })
  const draft = {
    ...{ event_key: 'never.sent', name: 'Never sent', status: 'draft', allowed_channels: ['sms'] },
    templates: { sms: { body: 'Hi' } },
  }
  expect((await call('POST', `/applications/${env.applicationId}/events`, draft)).status).toBe(201)
  expect((await call('GET', '/find?id=never.sent')).body.items).toEqual([
    { kind: 'event', id: 'never.sent', application_id: env.applicationId, application_name: 'Demo Shop' },
  ])
  const { rows } = await env
    .sql('gateway')
    .query('select id from api_keys where application_id = $1 limit 1', [env.applicationId])
  expect((await call('GET', `/find?id=${rows[0].id}`)).body.items).toEqual([
    expect.objectContaining({ kind: 'key', id: rows[0].id }),
  ])
  const { tenantId } = await addBareTenant(env)
  const stranger = operatorToken(env, { tenant_id: tenantId, permissions: ['activity:read'] })
  for (const id of [requestId, 'order.shipped', 'never.sent', rows[0].id])
    expect((await call('GET', `/find?id=${id}`, undefined, stranger)).body.items).toEqual([])
})
