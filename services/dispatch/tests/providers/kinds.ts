import { expect, test } from '@jest/globals'
import { kinds as carrierKinds } from '@notify/carriers/kinds'
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
    ...Object.entries(carrierKinds).map(([kind, { channel }]) => `${kind} ${channel}`),
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
    ...Object.entries(carrierKinds).flatMap(([kind, { secrets }]) => secrets.map((field) => `${kind}.${field}`)),
    'webhook.secret',
    'webhook.previous_secret',
    'webhook.older_secret',
  ])
  // What is not marked is shown: none of it may look like a secret.
  const open = kinds
    .filter(({ kind }) => kind !== 'webhook')
    .flatMap(({ credentials }) => Object.entries(credentials.properties))
  const secretive = open.filter(
    ([name, one]) => !one.writeOnly && /secret|token|password|private|api_key|access_key$/.test(name),
  )
  expect(secretive.map(([name]) => name)).toEqual(['api_key'])
  for (const { credentials } of kinds) {
    expect([credentials.title, ...Object.values(credentials.properties).map(({ title }) => title)]).toEqual(
      expect.not.arrayContaining([undefined]),
    )
  }
})
