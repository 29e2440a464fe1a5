import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { parseKeyRing } from '@notify/privacy'
import { expectProblem } from '@notify/test-kit/api'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { call, env } from './stack.ts'

const me = async (claims: object) => {
  const token = operatorToken(env, { permissions: ['audit:read'], sub: crypto.randomUUID(), ...claims })
  const { status, body } = await env.api('GET', '/api/v1/me', { token })
  expect(status).toBe(200)
  return { token, ...body }
}

const listed = async (id: string) => {
  const { body } = await call('GET', '/operators?limit=100')
  return body.items.find(({ operator_id }: { operator_id: string }) => operator_id === id)
}

const untilListed = (id: string, expected: object) =>
  eventually(async () => expect(await listed(id)).toMatchObject(expected))

describe('names of operators', () => {
  test('come from the latest access token, are stored encrypted, and stay within the tenant', async () => {
    const sub = crypto.randomUUID()
    const first = await me({ sub, name: 'Grace Hopper', email: 'grace@example.com' })
    expect(first).toMatchObject({ name: 'Grace Hopper', email: 'grace@example.com' })
    await untilListed(first.operator_id, { name: 'Grace Hopper', email: 'grace@example.com' })
    await me({ sub, name: 'Grace B. Hopper' })
    await untilListed(first.operator_id, { name: 'Grace B. Hopper', email: null })
    const { rows } = await env.admin.query('select encode(profile, $1) as profile from gateway.operators', ['escape'])
    expect(JSON.stringify(rows)).not.toContain('Hopper')
    const stranger = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions: ['audit:read'] })
    expect((await env.api('GET', '/api/v1/operators', { token: stranger })).body.items).toEqual([])
    const curious = operatorToken(env, { permissions: ['activity:read'] })
    expectProblem(await env.api('GET', '/api/v1/operators', { token: curious }), 403, 'permission_denied')
  })

  test('that cannot be stored are left out, and the token stays valid', async () => {
    for (const name of [42, '', 'x'.repeat(256), 'a\u0000b', { first: 'Ada' }, null]) {
      expect(await me({ name, email: 'kept@example.com' })).toMatchObject({ name: null, email: 'kept@example.com' })
    }
    const { operator_id } = await me({})
    expect(await listed(operator_id)).toBeUndefined()
  })

  test('that cannot be decrypted are null, and the names of others are listed', async () => {
    const { operator_id } = await me({ name: 'Ada Lovelace' })
    const { operator_id: other } = await me({ name: 'Mary Somerville' })
    await untilListed(operator_id, { name: 'Ada Lovelace' })
    const foreignKeys = parseKeyRing(`foreign:${randomBytes(32).toString('base64')}`)
    const sealed = foreignKeys.encrypt('{}', `operators|${env.tenantId}|${operator_id}`)
    await env.admin.query('update gateway.operators set profile = $1 where id = $2', [sealed, operator_id])
    await untilListed(operator_id, { name: null, email: null })
    await untilListed(other, { name: 'Mary Somerville' })
    await eventually(() => expect(env.logs('gateway', 5000)).toContain(`"operator":"${operator_id}"`))
  })

  test('are erased on request; the audit log keeps the id alone', async () => {
    const { operator_id } = await me({ name: 'Edsger Dijkstra' })
    await untilListed(operator_id, { name: 'Edsger Dijkstra' })
    expect((await call('DELETE', `/operators/${operator_id}`)).status).toBe(204)
    expect(await listed(operator_id)).toBeUndefined()
    expectProblem(await call('DELETE', `/operators/${operator_id}`), 404, 'not_found')
    const { body } = await call('GET', `/audit-log?resource_id=${operator_id}`)
    expect(body.items).toMatchObject([{ action: 'operator.erased', resource: { type: 'operator', id: operator_id } }])
    expect(JSON.stringify(body)).not.toContain('Dijkstra')
    const other = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions: ['applications:manage'] })
    const { operator_id: kept } = await me({ name: 'Barbara Liskov' })
    await untilListed(kept, { name: 'Barbara Liskov' })
    expectProblem(await env.api('DELETE', `/api/v1/operators/${kept}`, { token: other }), 404, 'not_found')
    expect(await listed(kept)).toMatchObject({ name: 'Barbara Liskov' })
  })
})
