import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { asOperator } from '@notify/test-kit/api'
import { freshAddress } from '@notify/test-kit/email'
import { freshPhone } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'consent', 'inbox-stream', 'webhook-delivery'])
})
afterAll(() => env?.stop())

const call = (method: string, url: string, request: ApiRequest = {}) => asOperator(env, method, url, request)

async function made(url: string, body: object) {
  const answer = await call('POST', url, { body })
  expect([answer.status, answer.body.detail]).toEqual([201, undefined])
  return answer.body
}

/** The accounts of the sandbox, as a customer has them from its carriers. */
function accounts() {
  const { state } = env.stack
  return [
    {
      channel: 'sms',
      kind: 'twilio',
      credentials: {
        account_sid: state.twilio_account_sid,
        auth_token: state.twilio_auth_token,
        from: '+15005550006',
      },
    },
    {
      channel: 'email',
      kind: 'ses',
      credentials: {
        region: 'us-east-1',
        access_key_id: state.ses_access_key_id,
        secret_access_key: state.ses_secret_access_key,
        from: 'no-reply@set-up.example',
        configuration_set: 'email-events',
      },
    },
    {
      channel: 'whatsapp',
      kind: 'whatsapp_cloud',
      credentials: {
        phone_number_id: state.meta_phone_number_id,
        business_account_id: state.meta_waba_id,
        access_token: state.meta_access_token,
      },
    },
    { channel: 'webhook', kind: 'webhook', credentials: {} },
  ]
}

const templates = {
  sms: { body: 'SMS for {{ name }}' },
  email: { subject: 'Email for {{ name }}', body: 'Text for {{ name }}' },
  in_app: { title: 'Notice', body: 'Notice for {{ name }}' },
  webhook: { data: { customer: '{{ name }}' } },
  whatsapp: {
    template_name: 'order_update',
    language: 'en_US',
    category: 'utility',
    parameters: ['{{ name }}', 'A-1'],
  },
}

test('an operator sets up an application through the API alone, and it sends on every channel', async () => {
  for (const { provider_id } of (await call('GET', '/api/v1/providers')).body.items)
    expect((await call('DELETE', `/api/v1/providers/${provider_id}`)).status).toBe(204)
  const { application_id } = await made('/api/v1/applications', { name: 'Set up' })
  const keys = `/api/v1/applications/${application_id}/keys`
  const { api_key: key } = await made(keys, {
    name: 'Backend',
    permissions: ['notifications:send', 'notifications:read'],
  })
  for (const account of accounts()) {
    const provider = await made('/api/v1/providers', { ...account, name: account.kind, application_id })
    const tested = await call('POST', `/api/v1/providers/${provider.provider_id}/test`)
    expect(tested.body).toMatchObject({ ok: true })
    if (provider.secret)
      await env.call('carrier-sandbox', 'POST', '/received/secrets', { body: { secret: provider.secret } })
  }
  const event = { event_key: 'set.up', name: 'Set up', allowed_channels: Object.keys(templates), templates }
  const path = `/api/v1/applications/${application_id}/events`
  await made(path, event)
  expect((await call('POST', `${path}/set.up/publish`)).body).toMatchObject({ status: 'published', version: 1 })

  const phone = freshPhone()
  const optIn = { phone_e164: phone, source: 'web_form' }
  expect((await env.api('POST', '/api/v1/whatsapp/opt-ins', { key, body: optIn })).status).toBe(201)
  const hook = `/ok/${crypto.randomUUID()}`
  const recipients = {
    sms: { phone: freshPhone() },
    email: freshAddress(),
    whatsapp: { phone, opt_in_reference: 'checkout 1' },
    in_app: 'user-1',
    webhook: { url: env.stack.receiverUrl + hook },
  }
  const ids = await Promise.all(
    Object.entries(recipients).map(async ([channel, recipient]) => {
      const body = { channel, recipient, event_key: 'set.up', data: { name: 'Ada' } }
      // A request that was answered 503 may have taken effect.
      const headers = { 'idempotency-key': crypto.randomUUID() }
      // Templates of the carrier are synchronised within seconds; replicas apply events and providers within a second.
      return eventually(async () => {
        const answer = await env.api('POST', '/api/v1/notifications', { key, body, headers })
        expect([channel, answer.status, answer.body.detail]).toEqual([channel, 202, undefined])
        return answer.body.notification_id as string
      })
    }),
  )
  for (const id of ids) {
    await eventually(async () => {
      const { body } = await env.api('GET', `/api/v1/notifications/${id}`, { key })
      const { channel, delivery_status } = body
      expect([channel, delivery_status]).toEqual([channel, 'delivered'])
    })
  }
  const sent = await env.messages({})
  expect(sent.map(({ text }) => text.trim()).sort()).toEqual([
    'Hi Ada, your order A-1 is on its way.',
    'SMS for Ada',
    'Text for Ada',
  ])
  const { body } = await env.call('carrier-sandbox', 'GET', '/received')
  const received = (body as { items: { path: string; verified: boolean }[] }).items.find((one) => one.path === hook)
  expect(received).toMatchObject({ verified: true })
})
