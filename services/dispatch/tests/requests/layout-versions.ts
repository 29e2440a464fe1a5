import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { asOperator, expectProblem } from '@notify/test-kit/api'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { env } from './stack.ts'

const call = (method: string, path: string, request: ApiRequest = {}) =>
  asOperator(env, method, `/api/v1/layouts${path}`, request)

const first = {
  name: 'First',
  html_body: '<body>{{ content }}</body>',
  body: '{{ content }} Bye',
  translations: { de: { html_body: '<body>{{ content }}<p>Tschüss</p></body>' } },
}

test('every version of a layout is kept as it was until the layout is deleted', async () => {
  const { layout_id, created_at } = (await call('POST', '', { body: first })).body
  const of = `/${layout_id}`
  for (const name of ['Second', 'Third'])
    await call('PUT', of, { body: { name, html_body: `<p>${name}</p>{{ content }}`, translations: {} } })
  const stale = await call('PUT', `${of}?expected_version=1`, { body: { name: 'Late', html_body: '{{ content }}' } })
  expectProblem(stale, 409, 'edit_conflict')
  const newest = (await call('GET', `${of}/versions?limit=2`)).body
  expect(newest.items).toMatchObject([
    { version: 3, name: 'Third', is_current: true, application_id: null },
    { version: 2, name: 'Second', is_current: false },
  ])
  expect(newest.items[0]).not.toHaveProperty('html_body')
  const rest = (await call('GET', `${of}/versions?limit=2&cursor=${newest.next_cursor}`)).body
  expect([rest.items.map(({ version }: { version: number }) => version), rest.next_cursor]).toEqual([[1], null])
  const whole = { ...first, ...{ version: 1, is_current: false, application_id: null } }
  const saved = { saved_at: created_at, saved_by: rest.items[0].saved_by }
  expect((await call('GET', `${of}/versions/1`)).body).toEqual({ ...whole, ...saved })
  const { updated_at } = (await call('GET', of)).body
  expect(newest.items[0].saved_at).toBe(updated_at)
  for (const version of ['0', '4', '-1', '1.0', 'x', '9999999999'])
    expectProblem(await call('GET', `${of}/versions/${version}`), 404, 'not_found')
  expect((await call('DELETE', of)).status).toBe(204)
  for (const path of ['', '/1']) expectProblem(await call('GET', `${of}/versions${path}`), 404, 'not_found')
  const kept = await env.sql('dispatch').query('select from dispatch.layout_versions where layout_id = $1', [layout_id])
  expect(kept.rowCount).toBe(0)
})

test('versions of a layout are shown to operators of its tenant who may manage events', async () => {
  const { layout_id } = (await call('POST', '', { body: first })).body
  const stranger = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions: ['events:manage'] })
  const mayNot = operatorToken(env, { permissions: ['activity:read', 'providers:manage'] })
  for (const path of ['/versions', '/versions/1']) {
    expect((await call('GET', `/${layout_id}${path}`)).status).toBe(200)
    expectProblem(await call('GET', `/${layout_id}${path}`, { token: stranger }), 404, 'not_found')
    expectProblem(await call('GET', `/${newId('lay')}${path}`), 404, 'not_found')
    expectProblem(await call('GET', `/${layout_id}${path}`, { token: mayNot }), 403, 'permission_denied')
  }
})

test('a change of a layout without translations keeps those that are saved at the same moment', async () => {
  const { translations, ...texts } = first
  const { layout_id } = (await call('POST', '', { body: texts })).body
  const client = await env.admin.connect()
  try {
    await client.query('begin')
    await client.query('update dispatch.layouts set translations = $2, version = version + 1 where id = $1', [
      layout_id,
      translations,
    ])
    const saving = call('PUT', `/${layout_id}`, { body: { ...texts, name: 'Second' } })
    await eventually(async () => {
      const { rows } = await env.admin.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%"layouts"%'`,
      )
      expect(rows).toHaveLength(1)
    })
    await client.query('commit')
    // They were not checked against the new texts.
    expectProblem(await saving, 409, 'edit_conflict')
  } finally {
    await client.query('rollback')
    client.release()
  }
  const again = await call('PUT', `/${layout_id}`, { body: { ...texts, name: 'Second' } })
  expect([again.status, again.body]).toMatchObject([200, { name: 'Second', translations }])
})
