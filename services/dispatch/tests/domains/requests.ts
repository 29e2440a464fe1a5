import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { addBareTenant, addKey, operatorToken } from '@notify/test-kit/callers'
import { newDomain, publish, type SendingDomain } from '../sending-domain.ts'
import { add, dns, domains, env, eventsOf, freshName, operator, otherKey, recordOf, verify } from './stack.ts'

test.each([
  ['', /must not be empty/],
  ['com', /two labels/],
  ['co.uk', /others register theirs/],
  ['github.io', /others register theirs/],
  ['localhost', /two labels/],
  ['.', /domain name/],
  ['..', /labels/],
  ['a..example', /labels/],
  ['.shop.example', /labels/],
  ['shop.example..', /labels/],
  ['192.0.2.1', /IP address/],
  ['[2001:db8::1]', /IP address/],
  ['2001:db8::1', /IP address/],
  ['0x7f.1', /IP address/],
  ['１２７.0.0.1', /IP address/],
  ['shop.example.123', /domain name/],
  ['my_shop.example', /underscores/],
  ['-shop.example', /inner hyphens/],
  ['shop-.example', /inner hyphens/],
  ['https://shop.example', /without scheme/],
  ['shop.example:25', /without scheme/],
  ['shop.example/', /without scheme/],
  ['ada@shop.example', /without scheme/],
  ['shop example', /without scheme/],
  [' shop.example', /without scheme/],
  ['%73hop.example', /without scheme/],
  ['shop\u0000.example', /NUL/],
  ['shop.example\r\nX: 1', /without scheme/],
  ['xn--a.example', /stand for nothing/],
  ['xn--.example', /domain name|stand for nothing/],
  [`${'a'.repeat(64)}.example`, /63 characters/],
  [`${'ü'.repeat(60)}.example`, /63 characters|domain name/],
  [`${'a.'.repeat(120)}example`, /220 characters/],
  [42, /string/],
  [null, /string/],
])('%j is no sending domain: 422, naming the field', async (domain, message) => {
  const answer = await add(domain)
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0]).toEqual({ path: 'domain', message: expect.stringMatching(message) })
})

test('a name of ten thousand characters is refused before anything is made of it', async () => {
  const answer = await add('a'.repeat(10_000))
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.text.length).toBeLessThan(1000)
})

test('a body that is none, or holds more, is refused', async () => {
  expectProblem(await domains('POST', '', { raw: '{' }), 400, 'invalid_json')
  expectProblem(await domains('POST', ''), 400, 'invalid_json')
  expectProblem(
    await domains('POST', '', { raw: 'domain=a.example', headers: { 'content-type': 'text/plain' } }),
    415,
    'unsupported_media_type',
  )
  expectProblem(
    await domains('POST', '', { body: { domain: freshName(), selector: 'mine' } }),
    422,
    'validation_failed',
  )
  expectProblem(await add(freshName(), { headers: { 'idempotency-key': 'a b' } }), 400, 'invalid_idempotency_key')
  expectProblem(await domains('PATCH', '', { body: {} }), 405, 'method_not_allowed')
})

test('keys and operators with domains:manage manage them; others are 403, nobody 401', async () => {
  const byOperator = await newDomain(env, freshName(), { token: operator })
  expect((await domains('GET', `/${byOperator.domain_id}`)).status).toBe(200)
  expect((await verify(byOperator.domain_id, { token: operator })).status).toBe(200)
  const calls: [string, string, unknown?][] = [
    ['GET', ''],
    ['POST', '', { domain: freshName() }],
    ['GET', `/${byOperator.domain_id}`],
    ['POST', `/${byOperator.domain_id}/verify`],
    ['DELETE', `/${byOperator.domain_id}`],
  ]
  for (const [method, path, body] of calls) {
    const request = body === undefined ? {} : { body }
    expectProblem(await domains(method, path, { ...request, key: env.apiKeySendOnly }), 403, 'permission_denied')
    const powerless = operatorToken(env, { permissions: ['activity:read'] })
    expectProblem(await domains(method, path, { ...request, token: powerless }), 403, 'permission_denied')
    expectProblem(await domains(method, path, { ...request, key: null }), 401, 'unauthenticated')
  }
  expect((await domains('GET', `/${byOperator.domain_id}`)).status).toBe(200)
})

test('unknown ids and those of other tenants are 404 for every method, and in no list', async () => {
  const theirs = await newDomain(env, freshName(), { key: otherKey })
  for (const id of [theirs.domain_id, 'dom_01jd3x8qk5w9t2m4v6b8n0p2r4', 'whatever', '%00', `${theirs.domain_id}'--`]) {
    expectProblem(await domains('GET', `/${id}`), 404, 'not_found')
    expectProblem(await domains('DELETE', `/${id}`), 404, 'not_found')
    expectProblem(await verify(id), 404, 'not_found')
    expectProblem(await verify(id, { headers: { 'idempotency-key': 'nowhere' } }), 404, 'not_found')
  }
  const { body } = await domains('GET', '?limit=100')
  expect(body.items.map((item: SendingDomain) => item.domain_id)).not.toContain(theirs.domain_id)
  expect((await domains('GET', `/${theirs.domain_id}`, { key: otherKey })).status).toBe(200)
})

test('the list has every domain once, newest first, page by page; a bad limit or cursor is 422', async () => {
  const added = []
  for (let index = 0; index < 3; index++) added.push((await newDomain(env, freshName())).domain_id)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, body } = await domains('GET', `?limit=2${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    expect(body.items.length).toBeLessThanOrEqual(2)
    seen.push(...body.items.map((item: SendingDomain) => item.domain_id))
    cursor = body.next_cursor
  }
  expect(seen.slice(0, 3)).toEqual(added.toReversed())
  expect(seen).toEqual(seen.toSorted().toReversed())
  expect(new Set(seen).size).toBe(seen.length)
  for (const query of ['limit=0', 'limit=101', 'limit=ten', 'limit=-1', 'cursor=x', 'cursor=ZG9t', 'page=1']) {
    expectProblem(await domains('GET', `?${query}`), 422, 'validation_failed')
  }
})

test('a removed domain is deleted at once, may be added again with another key, and an event reports it', async () => {
  const added = publish(dns, await newDomain(env, freshName()))
  await verify(added.domain_id)
  const answer = await domains('DELETE', `/${added.domain_id}`)
  expect([answer.status, answer.text]).toEqual([204, ''])
  expectProblem(await domains('GET', `/${added.domain_id}`), 404, 'not_found')
  expectProblem(await domains('DELETE', `/${added.domain_id}`), 404, 'not_found')
  expect(await eventsOf(added.domain_id)).toEqual(['pending', 'verified', 'deleted'])
  const again = await newDomain(env, added.domain)
  expect(recordOf(again, 'dkim')).not.toEqual(recordOf(added, 'dkim'))
  expect(again.status).toBe('pending')
})

test('past the number that a tenant may have it is 409 domain_limit_reached', async () => {
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.domains where tenant_id = $1', [
    env.tenantId,
  ])
  await env.admin.query(
    `insert into dispatch.domains (id, tenant_id, domain, selector, public_key, private_key, next_check_at)
     select 'dom_' || i, $1, 'filler' || i || '.example', 's', '', '', now() + interval '1 day' from generate_series(1, $2) i`,
    [env.tenantId, 60 - rows[0].count],
  )
  const refused = await Promise.all(Array.from({ length: 30 }, () => add(freshName())))
  for (const answer of refused) expectProblem(answer, 409, 'domain_limit_reached')
  expect((await add(freshName(), { key: otherKey })).status).toBe(201)
  await env.admin.query(`delete from dispatch.domains where domain like 'filler%'`)
})

test('many domains that a tenant adds together do not delay the one of another', async () => {
  const made = `select count(*)::int as before from dispatch.domains d join dispatch.domains own on own.id = $2
    where d.tenant_id = $1 and d.created_at < own.created_at`
  // Repeated if that one came late, when the keys of most were made.
  await eventually(async () => {
    const busy = await addBareTenant(env)
    const { apiKey: key } = await addKey(env, busy, { permissions: ['domains:manage'] })
    const many = Array.from({ length: 24 }, () => add(freshName(), { key }))
    await Promise.race(many)
    const { status, body } = await add(freshName(), { key: otherKey })
    await Promise.all(many)
    expect(status).toBe(201)
    const { rows } = await env.admin.query(made, [busy.tenantId, body.domain_id])
    expect(rows[0].before).toBeLessThan(many.length / 2)
  })
})
