import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { addApplication, addEmptyTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const vonage = {
  channel: 'sms',
  kind: 'vonage',
  name: 'Vonage',
  priority: 1,
  credentials: {
    ...{ api_key: 'a1b2c3d4', api_secret: 'secret-of-vonage', application_id: crypto.randomUUID() },
    ...{ from: '+15005550006', signature_secret: 'signature-secret-of-vonage' },
  },
}

test('a text that is longer than the only kind of provider takes is refused when it is accepted', async () => {
  const tenantId = await addEmptyTenant(env)
  const token = operatorToken(env, { tenant_id: tenantId, permissions: ['providers:manage'] })
  const { applicationId } = await addApplication(env, tenantId)
  const { apiKey: key } = await addKey(env, { tenantId, applicationId }, { permissions: ['notifications:send'] })
  const credentials = { ...vonage.credentials, private_key: await newPrivateKey() }
  const made = await env.api('POST', '/api/v1/providers', { token, body: { ...vonage, credentials } })
  expect([made.status, made.body.errors]).toEqual([201, undefined])
  const send = (body: string) => post(env, { channel: 'sms', recipient: freshPhone(), body }, { key })
  expect((await send('x'.repeat(1000))).status).toBe(202)
  const refused = await send('x'.repeat(1001))
  expectProblem(refused, 422, 'validation_failed')
  expect(refused.body.errors).toEqual([
    { path: 'body', message: 'gives a text of more than 1000 characters, the most of vonage' },
  ])
})

test('a text that one kind does not take goes by the next', async () => {
  const { applicationId } = await addApplication(env)
  const { apiKey: key } = await addKey(
    env,
    { tenantId: env.tenantId, applicationId },
    { permissions: ['notifications:send', 'notifications:read'] },
  )
  const credentials = { ...vonage.credentials, private_key: await newPrivateKey() }
  const provider = { ...vonage, application_id: applicationId, credentials }
  const made = await env.api('POST', '/api/v1/providers', { token: env.operatorToken, body: provider })
  expect(made.status).toBe(201)
  const recipient = freshPhone()
  const sent = await post(env, { channel: 'sms', recipient, body: 'x'.repeat(1001) }, { key })
  expect(sent.status).toBe(202)
  await eventually(async () => {
    const { body } = await env.api('GET', `/api/v1/notifications/${sent.body.notification_id}`, { key })
    expect(body).toMatchObject({
      delivery_status: 'delivered',
      attempts: [{ provider_code: 'text_too_long' }, { outcome: 'accepted' }],
    })
  })
  expect(await env.messages({ to: recipient })).toHaveLength(1)
})

async function newPrivateKey(): Promise<string> {
  const { privateKey } = await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
    true,
    ['sign', 'verify'],
  )
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`
}
