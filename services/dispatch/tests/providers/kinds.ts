import { expect, test } from '@jest/globals'
import { call } from './stack.ts'

test('every kind describes the fields of its credentials, and marks those that are secret or made by us', async () => {
  const { status, body } = await call('GET', '/api/v1/provider-kinds')
  expect(status).toBe(200)
  const kinds = body.items as {
    kind: string
    channel: string
    rotates_secret: boolean
    credentials: { title: string; properties: Record<string, Record<string, unknown>> }
  }[]
  const marked = (mark: string) =>
    kinds.flatMap(({ kind, credentials }) =>
      Object.entries(credentials.properties).flatMap(([field, one]) => (one[mark] ? [`${kind}.${field}`] : [])),
    )
  expect(kinds.map(({ kind, channel }) => `${kind} ${channel}`)).toEqual([
    'twilio sms',
    'ses email',
    'smtp email',
    'whatsapp_cloud whatsapp',
    'webhook webhook',
  ])
  expect(kinds.filter((one) => one.rotates_secret).map(({ kind }) => kind)).toEqual(['webhook'])
  expect(marked('readOnly')).toEqual([
    'webhook.secret',
    'webhook.previous_secret',
    'webhook.previous_until',
    'webhook.older_secret',
    'webhook.older_until',
  ])
  expect(marked('writeOnly')).toEqual([
    'twilio.auth_token',
    'ses.secret_access_key',
    'smtp.password',
    'whatsapp_cloud.access_token',
    'whatsapp_cloud.app_secret',
    'whatsapp_cloud.verify_token',
    'webhook.secret',
    'webhook.previous_secret',
    'webhook.older_secret',
  ])
  for (const { credentials } of kinds) {
    expect([credentials.title, ...Object.values(credentials.properties).map(({ title }) => title)]).toEqual(
      expect.not.arrayContaining([undefined]),
    )
  }
})
