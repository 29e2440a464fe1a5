import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { addKey, addTenant, operatorToken, otherAccountEnv } from '@notify/test-kit/callers'
import { type DnsServer, startDnsServer } from '@notify/test-kit/dns-server'
import { findVerifiedDomain } from '../src/catalogue/domains/domain-store.ts'
import { checkSoon, newDomain, publish, type SendingDomain, untilDomain } from './sending-domain.ts'

let dns: DnsServer
let env: TestEnv
let operator: string
let other: Awaited<ReturnType<typeof addTenant>>
let otherKey: string
const permissions = ['domains:manage']
/** Where the demo tenant's SES account is. */
const demoRegion = 'us-east-1'

beforeAll(async () => {
  dns = await startDnsServer()
  const dispatch = {
    DNS_SERVERS: dns.address,
    DNS_TIMEOUT: '900ms',
    DOMAIN_RECHECK_FIRST: '1h',
    SES_REGION: 'eu-west-1',
    SPF_INCLUDE: 'amazonses.com',
    DOMAINS_PER_TENANT: '60',
  }
  env = await TestEnv.start(['gateway', 'dispatch'], {
    env: { 'dispatch-api': dispatch, 'dispatch-worker': dispatch, 'carrier-sandbox': otherAccountEnv },
  })
  operator = operatorToken(env, { permissions })
  other = await addTenant(env)
  otherKey = (await addKey(env, other, { permissions })).apiKey
})
afterAll(async () => {
  await env?.stop()
  await dns?.stop()
})
beforeEach(() => {
  dns.clear()
  dns.txt('amazonses.com', 'v=spf1 ip4:192.0.2.0/24 -all')
})

let serial = 0
const freshName = () => `shop${++serial}.example`
const domains = (method: string, path = '', request: ApiRequest = {}) =>
  env.api(method, `/api/v1/domains${path}`, request)
const add = (domain: unknown, request: ApiRequest = {}) => domains('POST', '', { body: { domain }, ...request })
const verify = (id: string, request: ApiRequest = {}) => domains('POST', `/${id}/verify`, request)
const recordOf = (domain: SendingDomain, purpose: string, type = 'TXT') =>
  domain.records.find((record) => record.purpose === purpose && record.type === type)!
const eventsOf = async (id: string) => {
  const { rows } = await env.admin.query(
    `select events from dispatch.outbox where subject = 'dispatch.domain.changed' and events like '%' || $1 || '%'
     order by id`,
    [id],
  )
  return rows.flatMap(({ events }) =>
    JSON.parse(events).map(({ event }: { event: { status: string } }) => event.status),
  )
}

describe('a new domain', () => {
  test('is pending, with a 2048-bit key, and the records to publish', async () => {
    const { ses_provider_id: sesId } = env.stack.state
    const name = freshName()
    const { status, body } = await add(name)
    expect(status).toBe(201)
    expect(body).toEqual({
      domain_id: expect.stringMatching(/^dom_[0-9a-hjkmnp-tv-z]{26}$/),
      domain: name,
      status: 'pending',
      records: expect.any(Array),
      carriers: [{ provider_id: sesId, kind: 'ses', name: expect.any(String), status: 'pending', checked_at: null }],
      verified_at: null,
      last_checked_at: null,
    })
    const [dkim, spf, mx, mailFrom, ...more] = body.records
    expect(more).toEqual([])
    expect(dkim).toEqual({
      purpose: 'dkim',
      type: 'TXT',
      name: expect.stringMatching(new RegExp(`^[a-z0-9]+\\._domainkey\\.${name}$`)),
      value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{392}$/),
      ttl: 3600,
      status: 'pending',
      needed_by: [sesId],
    })
    expect(spf).toEqual({
      purpose: 'spf',
      type: 'TXT',
      name,
      value: 'v=spf1 include:amazonses.com ~all',
      ttl: 3600,
      status: 'pending',
      needed_by: [sesId],
    })
    expect(mx).toMatchObject({
      purpose: 'mail_from',
      type: 'MX',
      name: `bounce.${name}`,
      value: `feedback-smtp.${demoRegion}.amazonses.com`,
      priority: 10,
    })
    expect(mailFrom).toMatchObject({ purpose: 'mail_from', type: 'TXT', name: `bounce.${name}` })
    expect((await domains('GET', `/${body.domain_id}`)).body).toEqual({ ...body, carriers: expect.any(Array) })
  })

  test('takes bounces where its tenant’s SES account is, and of a tenant without one where SES_REGION says', async () => {
    const { records } = await newDomain(env, freshName(), { key: otherKey })
    expect(records.find(({ type }) => type === 'MX')?.value).toBe('feedback-smtp.eu-west-1.amazonses.com')
  })

  test('has a key and a selector of its own, and no private key stands readable in the tables', async () => {
    const [one, two] = [await newDomain(env, freshName()), await newDomain(env, freshName())]
    expect(recordOf(one, 'dkim').name.split('.')[0]).not.toBe(recordOf(two, 'dkim').name.split('.')[0])
    expect(recordOf(one, 'dkim').value).not.toBe(recordOf(two, 'dkim').value)
    const { rows } = await env.admin.query('select private_key from dispatch.domains')
    for (const { private_key: sealed } of rows) {
      // An RSA key in Base64 begins like this in either form.
      expect(sealed.toString('latin1')).not.toMatch(/MII|PRIVATE KEY/)
      expect(sealed.indexOf(Buffer.from([0x30, 0x82]))).not.toBe(0)
    }
  })

  test.each([
    ['MAIL.Upper.EXAMPLE', 'mail.upper.example'],
    ['dot.example.', 'dot.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ])('%s is kept as %s', async (written, kept) => {
    const { status, body } = await add(written)
    expect([status, body.domain]).toEqual([201, kept])
    expectProblem(await add(kept), 409, 'domain_exists')
  })

  test('is added once by many at the same moment; the others are 409 domain_exists', async () => {
    const name = freshName()
    const answers = await Promise.all(Array.from({ length: 6 }, () => add(name)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, 409, 'domain_exists')
  })

  test('with one Idempotency-Key is one domain and one answer, byte for byte; with another body a conflict', async () => {
    const headers = { 'idempotency-key': 'domain-1' }
    const name = freshName()
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(name, { headers })))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(3)
    expectProblem(await add(freshName(), { headers }), 409, 'idempotency_conflict')
    // An operator's keys are others than the application's.
    expectProblem(await add(name, { headers, token: operator }), 409, 'domain_exists')
  })
})

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

describe('verifying', () => {
  test('with all records published it is verified, each record shows what was found, and an event reports it', async () => {
    const { domain_id, domain } = publish(dns, await newDomain(env, freshName()))
    const { status, body } = await verify(domain_id)
    expect([status, body.status]).toEqual([200, 'verified'])
    for (const record of body.records) expect(record).toMatchObject({ status: 'verified', found: expect.any(String) })
    expect(recordOf(body, 'spf').found).toBe('v=spf1 include:amazonses.com ~all')
    expect(recordOf(body, 'mail_from', 'MX').found).toBe(`10 feedback-smtp.${demoRegion}.amazonses.com`)
    expect(Date.parse(body.verified_at)).toBeLessThanOrEqual(Date.now())
    expect(body.last_checked_at).toBe(body.verified_at)
    expect((await domains('GET', `/${domain_id}`)).body).toEqual(body)
    expect(await eventsOf(domain_id)).toEqual(['pending', 'verified'])
    await verify(domain_id)
    expect(await eventsOf(domain_id)).toHaveLength(2)
    const run = env.sql('dispatch')
    const find = (tenant: string, name: string) =>
      findVerifiedDomain(
        async (statement, values) => (await run.query((statement as { text: string }).text, [...(values ?? [])])).rows,
        tenant,
        name,
      )
    expect(await find(env.tenantId, domain.toUpperCase())).toMatchObject({ id: domain_id })
    expect(await find(other.tenantId, domain)).toBeUndefined()
    expect(await find(env.tenantId, `sub.${domain}`)).toBeUndefined()
  })

  test('MAIL FROM records are reported, but nothing waits for them', async () => {
    const added = await newDomain(env, freshName())
    publish(dns, { ...added, records: added.records.filter(({ purpose }) => purpose !== 'mail_from') })
    dns.mx(`bounce.${added.domain}`, 'mail.elsewhere.example')
    const { body } = await verify(added.domain_id)
    expect(body.status).toBe('verified')
    expect(recordOf(body, 'mail_from', 'MX')).toMatchObject({ status: 'failed', found: '10 mail.elsewhere.example' })
    expect(recordOf(body, 'mail_from')).toMatchObject({ status: 'pending' })
  })

  test('nothing published is pending; something wrong is failed, until it is mended', async () => {
    const added = await newDomain(env, freshName())
    expect((await verify(added.domain_id)).body).toMatchObject({ status: 'pending', verified_at: null })
    publish(dns, added)
    dns.txt(added.domain, 'v=spf1 -all', 'v=spf1 include:amazonses.com ~all')
    const { body } = await verify(added.domain_id)
    expect(body.status).toBe('failed')
    expect(recordOf(body, 'spf')).toMatchObject({ status: 'failed', error: expect.stringMatching(/2 SPF records/) })
    expect(recordOf(body, 'dkim').status).toBe('verified')
    dns.txt(added.domain, 'v=spf1 include:amazonses.com ~all')
    expect((await verify(added.domain_id)).body.status).toBe('verified')
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'failed', 'verified'])
  })

  test('a domain whose records drift is degraded, keeps its verification time, and is verified again', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    const verified = (await verify(added.domain_id)).body
    dns.txt(recordOf(added, 'dkim').name, 'v=DKIM1; k=rsa; p=')
    const revoked = (await verify(added.domain_id)).body
    expect(revoked).toMatchObject({ status: 'degraded', verified_at: verified.verified_at })
    expect(recordOf(revoked, 'dkim')).toMatchObject({ status: 'failed', error: expect.stringMatching(/revoked/) })
    dns.clear(recordOf(added, 'dkim').name)
    const gone = (await verify(added.domain_id)).body
    expect(gone.status).toBe('degraded')
    expect(recordOf(gone, 'dkim')).toMatchObject({ status: 'failed', error: expect.stringMatching(/no TXT record/) })
    publish(dns, added)
    expect((await verify(added.domain_id)).body.status).toBe('verified')
  })

  test.each(['SERVFAIL', 'REFUSED', 'silence'] as const)(
    '%s takes nothing from a verified domain, and gives nothing to a pending one',
    async (how) => {
      const [stands, waits] = [publish(dns, await newDomain(env, freshName())), await newDomain(env, freshName())]
      await verify(stands.domain_id)
      for (const { domain, records } of [stands, waits]) {
        for (const { name } of records) dns.fail(name, how)
        dns.fail(domain, how)
      }
      const { status, body } = await verify(stands.domain_id)
      expect([status, body.status]).toEqual([200, 'verified'])
      for (const record of body.records) {
        expect(record).toMatchObject({ status: 'verified', error: expect.stringMatching(/could not be looked up now/) })
      }
      expect((await verify(waits.domain_id)).body).toMatchObject({ status: 'pending' })
    },
  )

  test('with one Idempotency-Key the first answer comes again, whatever DNS says by then', async () => {
    const added = await newDomain(env, freshName())
    const headers = { 'idempotency-key': 'verify-1' }
    const first = await verify(added.domain_id, { headers })
    publish(dns, added)
    const asked = dns.asked.length
    const again = await verify(added.domain_id, { headers })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(dns.asked.length).toBe(asked)
    expect((await verify(added.domain_id)).body.status).toBe('verified')
  })

  test('a domain is verified for one tenant at a time: the other is 409 domain_taken until it is free', async () => {
    const name = freshName()
    const ours = publish(dns, await newDomain(env, name))
    const theirs = publish(dns, await newDomain(env, name, { key: otherKey }))
    expect((await verify(ours.domain_id)).body.status).toBe('verified')
    const refused = await verify(theirs.domain_id, { key: otherKey })
    expectProblem(refused, 409, 'domain_taken')
    expect(refused.text).not.toContain(ours.domain_id)
    const waiting = (await domains('GET', `/${theirs.domain_id}`, { key: otherKey })).body
    expect(waiting.status).toBe('pending')
    expect(recordOf(waiting, 'dkim').error).toMatch(/another account has this domain verified/)
    expect((await domains('DELETE', `/${ours.domain_id}`)).status).toBe(204)
    expect((await verify(theirs.domain_id, { key: otherKey })).body.status).toBe('verified')
  })

  test('of two tenants at the same moment one gets it', async () => {
    const name = freshName()
    const ours = publish(dns, await newDomain(env, name))
    const theirs = publish(dns, await newDomain(env, name, { key: otherKey }))
    const answers = await Promise.all([verify(ours.domain_id), verify(theirs.domain_id, { key: otherKey })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('many at the same moment leave one state and one event', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(added.domain_id)))
    expect(answers.map(({ body }) => body.status)).toEqual(Array(8).fill('verified'))
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'verified'])
  })

  test('a check that began earlier and ends later changes nothing that a newer one saw', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    await verify(added.domain_id)
    // The older check waits for a name server that is silent; meanwhile the zone is repaired and a newer check ends.
    dns.fail(added.domain, 'silence')
    dns.txt(recordOf(added, 'dkim').name, 'v=DKIM1; p=')
    const asked = dns.asked.length
    const older = verify(added.domain_id)
    await eventually(() => expect(dns.asked.slice(asked)).toContain(`TXT ${recordOf(added, 'dkim').name}`))
    dns.clear(added.domain)
    publish(dns, added)
    const newer = await verify(added.domain_id)
    // The worker asks the carriers beside it.
    expect((await older).body).toEqual({ ...newer.body, carriers: expect.any(Array) })
    expect(newer.body.status).toBe('verified')
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'verified'])
  })
})

describe('the worker', () => {
  test('checks what is due: pending becomes verified, and verified degraded, and publishes it', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    await checkSoon(env, added.domain_id)
    await untilDomain(env, added.domain_id, { status: 'verified' })
    dns.clear(added.domain)
    await checkSoon(env, added.domain_id)
    await untilDomain(env, added.domain_id, { status: 'degraded' })
    publish(dns, added)
    await checkSoon(env, added.domain_id)
    await untilDomain(env, added.domain_id, { status: 'verified' })
    expect(await eventsOf(added.domain_id)).toEqual(['pending', 'verified', 'degraded', 'verified'])
    const { rows } = await env.admin.query(
      `select extract(epoch from next_check_at - now())::int as seconds from dispatch.domains where id = $1`,
      [added.domain_id],
    )
    // A day, give or take a tenth.
    expect(rows[0].seconds).toBeGreaterThan(86_400 * 0.89)
    expect(rows[0].seconds).toBeLessThan(86_400 * 1.11)
  })

  test('after trouble with DNS it comes back within minutes, and the state stays', async () => {
    const added = publish(dns, await newDomain(env, freshName()))
    await verify(added.domain_id)
    dns.fail(added.domain, 'SERVFAIL')
    await checkSoon(env, added.domain_id)
    const seen = await untilDomain(env, added.domain_id, {
      records: [{}, { error: expect.stringMatching(/SERVFAIL/) }, {}, {}],
    })
    expect(seen.status).toBe('verified')
  })
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
  expectProblem(await add(freshName()), 409, 'domain_limit_reached')
  expect((await add(freshName(), { key: otherKey })).status).toBe(201)
  await env.admin.query(`delete from dispatch.domains where domain like 'filler%'`)
})
