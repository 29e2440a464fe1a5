import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { openSchema } from '@notify/test-kit/database'
import { createEventCatalogue } from '../../src/catalogue/events/event-catalogue.ts'
import { act, call, create, env, of, save, sms } from './stack.ts'

test('another process uses what was published within about a second', async () => {
  const { db, kit } = await openSchema(env, 'dispatch')
  const catalogue = createEventCatalogue(db)
  const find = (key: string) => catalogue.find(env.applicationId, key)
  const { event_key: key } = await create()
  expect(await find(key)).toBeUndefined()
  await act(key, 'publish')
  await eventually(async () => expect((await find(key))?.templates).toEqual(sms('First {{ name }}')))
  await save(key, sms('Second'))
  expect((await find(key))?.templates).toEqual(sms('First {{ name }}'))
  await act(key, 'deactivate')
  await eventually(async () => expect(await find(key)).toBeUndefined())
  await kit.stop()
})

test('an event of the bootstrap document that an operator has published stays so over a restart', async () => {
  const key = 'invoice.ready'
  const email = { subject: 'Changed {{ order }}', body: 'Changed for {{ name }}' }
  const saved = await save(key, { email }, { allowed_channels: ['email'] })
  expect(saved.status).toBe(200)
  expect(await act(key, 'publish')).toMatchObject({ version: 2 })
  await env.restart('dispatch-api')
  expect((await call('GET', of(key))).body).toMatchObject({ version: 2, templates: { email } })
  expect(await act(key, 'versions/1/restore')).toMatchObject({ version: 3, allowed_channels: ['email'] })
})

test('a topic of the bootstrap document that an operator has changed stays so over a restart', async () => {
  const path = `/api/v1/applications/${env.applicationId}/topics/weekly-offers`
  const first = (await call('GET', path)).body
  expect(first).toMatchObject({ name: 'Weekly offers', kind: 'on', channels: ['email', 'whatsapp'] })
  await env.restart('dispatch-api')
  expect((await call('GET', path)).body).toEqual(first)
  const body = { name: 'Discounts', channels: ['whatsapp', 'email'] }
  const changed = await call('PUT', path, { body })
  expect(changed.status).toBe(200)
  await env.restart('dispatch-api')
  expect((await call('GET', path)).body).toEqual(changed.body)
})
