import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { addApplication, addEmptyTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const from = '+15005550006'
const credentialsOf = {
  vonage: async () => ({
    ...{ api_key: 'a1b2c3d4', api_secret: 'secret-of-vonage', application_id: crypto.randomUUID(), from },
    ...{ signature_secret: 'signature-secret-of-vonage', private_key: await newPrivateKey() },
  }),
  telnyx: async () => ({ api_key: 'KEY-of-long-texts', from }),
}

/** Each kind with the longest text that it takes. */
const kinds: [keyof typeof credentialsOf, string, string][] = [
  ['vonage', 'x'.repeat(1000), '1000 characters'],
  ['telnyx', 'ą'.repeat(670), '10 segments'],
]

async function addProvider(kind: keyof typeof credentialsOf, token: string, applicationId: string) {
  const provider = { channel: 'sms', kind, name: kind, priority: 1, credentials: await credentialsOf[kind]() }
  const body = { ...provider, application_id: applicationId }
  const made = await env.api('POST', '/api/v1/providers', { token, body })
  expect([made.status, made.body.errors]).toEqual([201, undefined])
}

test.each(kinds)('a text too long for %s is refused if no other kind could send it', async (kind, longest, limit) => {
  const tenantId = await addEmptyTenant(env)
  const token = operatorToken(env, { tenant_id: tenantId, permissions: ['providers:manage'] })
  const { applicationId } = await addApplication(env, tenantId)
  const { apiKey: key } = await addKey(env, { tenantId, applicationId }, { permissions: ['notifications:send'] })
  await addProvider(kind, token, applicationId)
  const send = (body: string) => post(env, { channel: 'sms', recipient: freshPhone(), body }, { key })
  expect((await send(longest)).status).toBe(202)
  const refused = await send(`${longest}x`)
  expectProblem(refused, 422, 'validation_failed')
  expect(refused.body.errors).toEqual([
    { path: 'body', message: `gives a text of more than ${limit}, the most of ${kind}` },
  ])
})

test.each(kinds)('a text too long for %s goes by the next kind', async (kind, longest) => {
  const { tenantId, operatorToken: token } = env
  const { applicationId } = await addApplication(env)
  const permissions = ['notifications:send', 'notifications:read']
  const { apiKey: key } = await addKey(env, { tenantId, applicationId }, { permissions })
  await addProvider(kind, token, applicationId)
  const recipient = freshPhone()
  const sent = await post(env, { channel: 'sms', recipient, body: `${longest}x` }, { key })
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
