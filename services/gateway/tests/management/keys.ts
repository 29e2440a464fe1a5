import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post, postUntilTaken } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { call, env, newApplication, newKey, untilAudited } from './stack.ts'

describe('API keys', () => {
  test('are shown once, send at once, and stop within a second of their revocation', async () => {
    const { application_id } = await newApplication()
    const { api_key, ...described } = await newKey(application_id)
    const path = `/applications/${application_id}/keys/${described.key_id}`
    expect(api_key).toMatch(/^sk_live_/)
    expect(described).toMatchObject({ status: 'active', mode: 'live', expires_at: null })
    expect((await call('GET', path)).body).toEqual(described)
    expect((await call('GET', `/applications/${application_id}/keys`)).body.items).toEqual([described])
    expect((await env.api('GET', '/api/v1/me', { key: api_key })).body).toMatchObject({ kind: 'key', application_id })
    expect((await call('DELETE', path)).status).toBe(204)
    await eventually(async () => expect((await env.api('GET', '/api/v1/me', { key: api_key })).status).toBe(401), {
      timeoutMs: 2000,
    })
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).body).toMatchObject({ status: 'revoked', revoked_at: expect.any(String) })
  })

  test('get other permissions within a second, recorded in the audit log', async () => {
    const { application_id } = await newApplication()
    const { api_key, key_id, ...made } = await newKey(application_id, { permissions: [] })
    const path = `/applications/${application_id}/keys/${key_id}`
    const send = () => post(env, smsTo('12'), { key: api_key })
    expectProblem(await send(), 403, 'permission_denied')
    const permissions = ['notifications:send']
    const changed = await call('PATCH', path, { permissions, rate_limit_per_second: 7 })
    expect(changed.body).toEqual({
      ...made,
      key_id,
      permissions,
      rate_limit_per_second: 7,
      updated_at: expect.any(String),
    })
    await eventually(async () => expectProblem(await send(), 422, 'invalid_recipient'), { timeoutMs: 2000 })
    expect((await call('PATCH', path, { permissions: [] })).body.permissions).toEqual([])
    await eventually(async () => expectProblem(await send(), 403, 'permission_denied'), { timeoutMs: 2000 })
    expect((await call('PATCH', path, { name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', permissions: [] })
    const [renamed] = await untilAudited(key_id, [
      ...['api_key.changed', 'api_key.changed', 'api_key.changed', 'api_key.created'],
    ])
    expect(renamed).toMatchObject({ before: { name: 'Server' }, after: { name: 'Renamed' } })
  })

  test('of changes that are based on one state, one succeeds; revoking and rotating make new states', async () => {
    const { application_id } = await newApplication()
    const { key_id, created_at, updated_at } = await newKey(application_id)
    expect(updated_at).toBe(created_at)
    const path = `/applications/${application_id}/keys/${key_id}`
    const change = (on: string, name: string) => call('PATCH', `${path}?expected_updated_at=${on}`, { name })
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => change(updated_at, name)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expectProblem(answers.find(({ status }) => status === 409)!, 409, 'edit_conflict')
    const { body: present } = answers.find(({ status }) => status === 200)!
    expect((await call('GET', path)).body).toEqual(present)
    expect((await call('POST', `${path}/rotate`, { overlap_seconds: 60 })).status).toBe(201)
    expectProblem(await change(present.updated_at, 'e'), 409, 'edit_conflict')
    const { body: rotated } = await call('GET', path)
    expect((await change(rotated.updated_at, 'e')).body.name).toBe('e')
    expect((await call('DELETE', path)).status).toBe(204)
    const { body: revoked } = await call('GET', path)
    expect(Date.parse(revoked.updated_at)).toBeGreaterThan(Date.parse(rotated.updated_at))
    expectProblem(await change('yesterday', 'f'), 422, 'validation_failed')
  })

  test('that are test keys, or no longer active, keep their limits', async () => {
    const { application_id } = await newApplication()
    const { key_id } = await newKey(application_id, { mode: 'test' })
    const path = `/applications/${application_id}/keys/${key_id}`
    const refused = await call('PATCH', path, { permissions: ['notifications:send', 'domains:manage'] })
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors).toMatchObject([{ path: 'permissions.1' }])
    await call('DELETE', path)
    expectProblem(await call('PATCH', path, { name: 'Renamed' }), 409, 'key_not_active')
  })

  test('rotate with an overlap in which both work', async () => {
    const { application_id } = await newApplication()
    const { api_key, key_id } = await newKey(application_id, { mode: 'test' })
    const rotate = `/applications/${application_id}/keys/${key_id}/rotate`
    const next = await call('POST', rotate, { overlap_seconds: 3600 })
    expect(next.status).toBe(201)
    expect(next.body).toMatchObject({ previous_key_id: key_id, mode: 'test', name: 'Server', status: 'active' })
    for (const key of [api_key, next.body.api_key])
      expect((await env.api('GET', '/api/v1/me', { key })).status).toBe(200)
    // At once: the overlap is cut short.
    expect((await call('DELETE', rotate.replace('/rotate', ''))).status).toBe(204)
    await eventually(async () => expect((await env.api('GET', '/api/v1/me', { key: api_key })).status).toBe(401), {
      timeoutMs: 2000,
    })
    expectProblem(await call('POST', rotate, {}), 409, 'key_not_active')
    expect((await env.api('GET', '/api/v1/me', { key: next.body.api_key })).status).toBe(200)
  })

  test('of a rotation are two, however many rotate at once; both are rotated again when the first has ended', async () => {
    const { application_id } = await newApplication()
    const { key_id } = await newKey(application_id)
    const keys = `/applications/${application_id}/keys`
    const rotate = (id: string, overlap_seconds = 3600) => call('POST', `${keys}/${id}/rotate`, { overlap_seconds })
    const request = { token: env.operatorToken }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        postUntilTaken(env, `/api/v1${keys}/${key_id}/rotate`, { overlap_seconds: 3600 }, request),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    const next = answers.find(({ status }) => status === 201)!.body
    for (const id of [key_id, next.key_id]) {
      const refused = await rotate(id)
      expectProblem(refused, 409, 'key_rotation_under_way')
      expect(refused.body.detail).toContain(next.previous_valid_until)
    }
    const active = async () => {
      const { items } = (await call('GET', keys)).body as { items: { key_id: string; status: string }[] }
      return items.filter(({ status }) => status === 'active').map((key) => key.key_id)
    }
    expect(await active()).toEqual([next.key_id, key_id])
    expect((await call('DELETE', `${keys}/${key_id}`)).status).toBe(204)
    const third = await rotate(next.key_id, 0)
    expect(third.status).toBe(201)
    // Without an overlap nothing is under way.
    const fourth = await rotate(third.body.key_id)
    expect(fourth.status).toBe(201)
    expect(await active()).toEqual([fourth.body.key_id, third.body.key_id])
  })

  test('of a deleted application are revoked and stop working, each with an entry in the audit log', async () => {
    const { application_id } = await newApplication()
    const { api_key, key_id } = await newKey(application_id)
    const { key_id: other } = await newKey(application_id)
    const { key_id: revoked } = await newKey(application_id)
    await call('DELETE', `/applications/${application_id}/keys/${revoked}`)
    await call('DELETE', `/applications/${application_id}`)
    for (const id of [key_id, other, revoked]) {
      const [entry] = await untilAudited(id, ['api_key.revoked', 'api_key.created'])
      const [before, after] = [{ status: 'active' }, { status: 'revoked' }]
      expect(entry).toMatchObject({ actor: { kind: 'operator' }, before, after })
    }
    await eventually(async () => expect((await env.api('GET', '/api/v1/me', { key: api_key })).status).toBe(401), {
      timeoutMs: 2000,
    })
    expectProblem(
      await call('POST', `/applications/${application_id}/keys`, { name: 'x', permissions: [] }),
      404,
      'not_found',
    )
  })

  test.each(['domains:manage', 'webhooks:manage'])('for tests cannot have %s', async (permission) => {
    const { application_id } = await newApplication()
    const body = { name: 'Test', mode: 'test', permissions: ['notifications:send', permission] }
    const answer = await call('POST', `/applications/${application_id}/keys`, body)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors).toEqual([{ path: 'permissions.1', message: `must not be ${permission} for a test key` }])
  })

  test('are the same under one Idempotency-Key, whose stored answer cannot be read in the database', async () => {
    const { application_id } = await newApplication()
    const path = `/api/v1/applications/${application_id}/keys`
    const request = {
      token: env.operatorToken,
      body: { name: 'Once', permissions: [] },
      headers: { 'idempotency-key': 'one-key' },
    }
    const [first, again] = [await env.api('POST', path, request), await env.api('POST', path, request)]
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    const { rows } = await env.admin.query(`select to_jsonb(t)::text as text from gateway.idempotency_keys t`)
    expect(rows.map(({ text }) => text).join()).not.toContain(first.body.api_key)
  })
})

test('a key that was made by the API sends', async () => {
  const { application_id } = await newApplication()
  const { api_key } = await newKey(application_id)
  expect((await post(env, smsTo(freshPhone()), { key: api_key })).status).toBe(202)
})
