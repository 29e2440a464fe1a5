import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { addApplication, addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { act, call, create, env, listPath, of, record, save, sms } from './stack.ts'

test('the list is by key, in pages, by status, without the texts', async () => {
  const { applicationId } = await addApplication(env)
  for (const [event_key, status] of [
    ['b', 'published'],
    ['a', 'draft'],
    ['c', 'published'],
  ])
    await call('POST', listPath(applicationId), { body: record({ event_key, status }) })
  const list = async (query = '') => (await call('GET', listPath(applicationId) + query)).body
  const keys = ({ items }: { items: { event_key: string }[] }) => items.map(({ event_key }) => event_key)
  expect(keys(await list())).toEqual(['a', 'b', 'c'])
  expect(keys(await list('?status=published'))).toEqual(['b', 'c'])
  expect((await list()).items[0]).not.toHaveProperty('templates')
  const first = await list('?limit=2')
  expect(keys(await list(`?limit=2&cursor=${first.next_cursor}`))).toEqual(['c'])
  // The place in one list is none in another.
  expectProblem(await call('GET', `${listPath()}?cursor=${first.next_cursor}`), 422, 'validation_failed')
  for (const query of ['limit=0', 'limit=101', 'cursor=x', 'status=live', 'page=1'])
    expectProblem(await call('GET', `${listPath()}?${query}`), 422, 'validation_failed')
})

test('only operators with events:manage come near, and only to applications of their tenant', async () => {
  const { event_key: key } = await create({ status: 'published' })
  const other = await addBareTenant(env)
  const mayNot = operatorToken(env, { permissions: ['activity:read', 'providers:manage', 'applications:manage'] })
  const stranger = operatorToken(env, { tenant_id: other.tenantId, permissions: ['events:manage'] })
  const routes: [string, string, object?][] = [
    ['GET', ''],
    ['POST', '', record()],
    ['GET', `/${key}`],
    ['PUT', `/${key}`, { name: 'x', templates: {} }],
    ['POST', `/${key}/publish`],
    ['POST', `/${key}/deactivate`],
    ['POST', `/${key}/preview`, { data: {} }],
    ['GET', `/${key}/versions`],
    ['GET', `/${key}/versions/1`],
    ['POST', `/${key}/versions/1/restore`],
  ]
  for (const [method, rest, body] of routes) {
    const request = body ? { body } : {}
    const url = listPath() + rest
    expectProblem(await env.api(method, url, { ...request, token: mayNot }), 403, 'permission_denied')
    expectProblem(await env.api(method, url, request), 403, 'permission_denied')
    expectProblem(await env.api(method, url, { ...request, key: null }), 401, 'unauthenticated')
    const foreign = await env.api(method, url, { ...request, token: stranger })
    expectProblem(foreign, 404, 'not_found')
    for (const unknown of [newId('app'), 'nonsense']) {
      const answer = await env.api(method, listPath(unknown) + rest, { ...request, token: stranger })
      expectProblem(answer, 404, 'not_found')
      expect(answer.body.detail).toBe(foreign.body.detail)
    }
    // An application of one's own has no event of the other's.
    const own = await env.api(method, listPath(other.applicationId) + rest, { ...request, token: stranger })
    if (rest.startsWith(`/${key}`)) expectProblem(own, 404, 'event_not_found')
  }
  expect((await call('GET', of(key))).body).toMatchObject({ version: 1, status: 'published', draft: null })
})

test.each(['nonsense', 'a%20b', 'x'.repeat(129), '🦆'])('the key %s is 404', async (key) => {
  expectProblem(await call('GET', of(key)), 404, 'event_not_found')
  expectProblem(await call('POST', of(key, '/publish')), 404, 'event_not_found')
  expectProblem(await call('GET', of('%00')), 404, 'not_found')
})

test('each change stands in the audit log with who made it and what it changed', async () => {
  const { event_key: key } = await create({ status: 'published' })
  await save(key, sms('Second'))
  await act(key, 'publish')
  await act(key, 'versions/1/restore')
  await act(key, 'deactivate')
  const entries = await eventually(async () => {
    const { rows } = await env.admin.query(
      `select action, actor_kind, application_id, before, after from gateway.audit_log where resource_id = $1 order by id`,
      [key],
    )
    expect(rows).toHaveLength(5)
    return rows
  })
  expect(entries.map(({ action }) => action)).toEqual([
    'event.created',
    'event.changed',
    'event.published',
    'event.restored',
    'event.deactivated',
  ])
  expect(entries[2]).toMatchObject({
    actor_kind: 'operator',
    application_id: env.applicationId,
    before: { version: 1, templates: sms('First {{ name }}'), draft: { templates: sms('Second') } },
    after: { version: 2, templates: sms('Second'), draft: null },
  })
})
