import { describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { expectProblem } from '@notify/test-kit/api'
import { operatorToken } from '@notify/test-kit/callers'
import { call, env, newApplication, newKey } from './stack.ts'

test('a caller can read its own identity', async () => {
  expect((await call('GET', '/me')).body).toMatchObject({
    kind: 'operator',
    tenant_id: env.tenantId,
    tenant_name: 'Demo',
    operator_id: expect.any(String),
    permissions: expect.arrayContaining(['applications:manage']),
  })
  const powerless = await env.api('GET', '/api/v1/me', { key: env.apiKeyNoPermissions })
  expect(powerless.body).toMatchObject({ kind: 'key', mode: 'live', permissions: [], tenant_id: env.tenantId })
  expectProblem(await env.api('GET', '/api/v1/me', { key: null }), 401, 'unauthenticated')
})

describe('another tenant', () => {
  test('sees nothing of it: applications, keys, audit log and usage', async () => {
    const { application_id } = await newApplication()
    const { key_id } = await newKey(application_id)
    const tenantId = newId('ten')
    await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
    const permissions = ['applications:manage', 'audit:read', 'usage:read']
    const other = operatorToken(env, { tenant_id: tenantId, permissions })
    const application = `/applications/${application_id}`
    const unknown = `/applications/app_01jd3x8qk5w9t2m4v6b8n0p2r4`
    const same = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
      const [theirs, nobodys] = await Promise.all(
        [`${application}${path}`, `${unknown}${path}`].map((one) => call(method, one, body, other)),
      )
      expectProblem(theirs!, 404, 'not_found')
      expect({ ...theirs!.body, request_id: '' }).toEqual({ ...nobodys!.body, request_id: '' })
    }
    await same('GET', '')
    await same('PATCH', '', { name: 'Mine' })
    await same('DELETE', '')
    await same('GET', '/keys')
    await same('POST', '/keys', { name: 'Mine', permissions: [] })
    await same('GET', `/keys/${key_id}`)
    await same('DELETE', `/keys/${key_id}`)
    await same('POST', `/keys/${key_id}/rotate`, {})
    expect((await call('GET', `/audit-log?application_id=${application_id}`, undefined, other)).body.items).toEqual([])
    expect((await call('GET', `/usage?application_id=${application_id}`, undefined, other)).body.items).toEqual([])
    expect((await call('GET', application)).status).toBe(200)
  })
})
