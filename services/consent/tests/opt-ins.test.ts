import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId, type ServicePrincipal } from '@notify/contracts'
import { type ApiResponse, TestEnv } from '@notify/dev-env'
import { createBlindIndex } from '@notify/privacy'
import { createPrincipalSigner, principalHeader } from '@notify/service-kit'
import { expectProblem, postUntilTaken } from '@notify/test-kit/api'
import { addApplication, addKey, operatorToken } from '@notify/test-kit/callers'
import { searchColumns } from '@notify/test-kit/search-columns'
import { freshPhone } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'consent'])
})
afterAll(() => env?.stop())

const optIn = (phone_e164: string, fields: object = {}, request: object = {}) =>
  env.api('POST', '/api/v1/whatsapp/opt-ins', { body: { phone_e164, source: 'web_form', ...fields }, ...request })
const optOut = (phone_e164: string) => env.api('POST', '/api/v1/whatsapp/opt-outs', { body: { phone_e164 } })
const consentOf = (phone: string) => env.api('GET', `/api/v1/whatsapp/opt-ins/${encodeURIComponent(phone)}`)
let evidence = 0
const fresh = () => ({ evidence_url: `https://shop.example/opt-ins/${++evidence}` })

const dispatch: ServicePrincipal = { kind: 'service', service: 'dispatch', permissions: ['consents:check'] }
const asDispatch = (principal = dispatch) =>
  createPrincipalSigner(env.stack.state.dispatch_signing_key, 'dispatch').then((sign) => sign(principal))

const checkAs = (principal: string, subjects: object[]) =>
  env.call('consent', 'POST', '/internal/v1/whatsapp/consents/check', {
    headers: { [principalHeader]: principal },
    body: { subjects },
  })

async function check(...phones: string[]) {
  const index = createBlindIndex(Buffer.from(env.stack.state.blind_index_key, 'base64'))
  const subjects = phones.map((phone) => ({
    tenant_id: env.tenantId,
    mode: 'live',
    recipient_index: index(env.tenantId, phone),
  }))
  return (await checkAs(await asDispatch(), subjects)).body.consents
}

test('only dispatch may ask which numbers may receive messages', async () => {
  const { otp_signing_key, principal_signing_key } = env.stack.state
  const byOtp = await createPrincipalSigner(otp_signing_key, 'otp')
  const byGateway = await createPrincipalSigner(principal_signing_key)
  const subjects = [{ tenant_id: env.tenantId, mode: 'live', recipient_index: 'nobody' }]
  const refused: [string, number, string][] = [
    ['', 401, 'unauthenticated'],
    [await byGateway(dispatch), 401, 'unauthenticated'],
    [await byOtp(dispatch), 401, 'unauthenticated'],
    [await byOtp({ ...dispatch, service: 'otp' }), 403, 'permission_denied'],
    [await asDispatch({ ...dispatch, permissions: [] }), 403, 'permission_denied'],
  ]
  for (const [principal, status, code] of refused) expectProblem(await checkAs(principal, subjects), status, code)
  expect((await checkAs(await asDispatch(), subjects)).status).toBe(200)
})

test('an opt-in is recorded, and the number may receive messages from then on', async () => {
  const phone = freshPhone()
  const { status, body } = await optIn(phone, { reference: 'order 4711', ...fresh() })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^optin_/),
      phone_e164: phone,
      source: 'web_form',
      reference: 'order 4711',
      evidence_url: `https://shop.example/opt-ins/${evidence}`,
      status: 'active',
      recorded_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    },
  ])
  expect(await check(phone, freshPhone())).toEqual([
    { status: 'active', marketing_stopped: false, entry_id: body.id },
    { status: 'none', marketing_stopped: false, entry_id: null },
  ])
  expect((await consentOf(phone)).body).toMatchObject({
    phone_e164: phone,
    status: 'active',
    marketing: 'allowed',
    history: [{ id: body.id, action: 'opt_in', source: 'web_form', reference: 'order 4711', status: 'active' }],
  })
})

test('after a revocation only fresh evidence that is no import brings the consent back', async () => {
  const phone = freshPhone()
  const before = fresh()
  await optIn(phone, before)
  const revoked = await optOut(phone)
  expect([revoked.status, revoked.body.status]).toEqual([201, 'revoked'])
  expect(await check(phone)).toMatchObject([{ status: 'revoked', entry_id: revoked.body.id }])
  const invalid = { evidence_url: 'http://shop.example/opt-ins' }
  for (const refused of [{}, before, invalid, { source: 'import' }, { source: 'import', ...fresh() }]) {
    expectProblem(await optIn(phone, refused), 409, 'whatsapp_recipient_stopped')
  }
  const said = async (fields: object) => (await optIn(phone, fields)).body.errors[0].message
  expect([await said(invalid), await said(before)]).toEqual([
    expect.stringContaining('must be an https address'),
    expect.stringContaining('was not given before'),
  ])
  expect((await consentOf(phone)).body.history).toHaveLength(2)
  expect((await optIn(phone, fresh())).status).toBe(201)
  expect((await consentOf(phone)).body).toMatchObject({
    status: 'active',
    history: [{ action: 'opt_in' }, { action: 'opt_out', source: 'request' }, { action: 'opt_in' }],
  })
})

test('evidence that was given before is recognised, however its address is spelled', async () => {
  const phone = freshPhone()
  const path = `/opt-ins/${crypto.randomUUID()}`
  await optIn(phone, { evidence_url: `https://shop.example${path}` })
  await optOut(phone)
  const spellings = [
    `https://SHOP.example${path}`,
    `https://shop.example:443${path}`,
    `HTTPS://shop.example/x/..${path}`,
    `https://shop.example${path}#again`,
  ]
  for (const evidence_url of spellings) {
    expectProblem(await optIn(phone, { evidence_url }), 409, 'whatsapp_recipient_stopped')
  }
  expect((await optIn(phone, { evidence_url: `https://shop.example${path}?at=2` })).status).toBe(201)
})

test('an operator records an opt-in in the live ledger, if permitted', async () => {
  const phone = freshPhone()
  const by = (...permissions: ['providers:manage' | 'consents:read']) => ({
    key: null,
    token: operatorToken(env, { tenant_id: env.tenantId, permissions }),
  })
  expectProblem(await optIn(phone, {}, by('consents:read')), 403, 'permission_denied')
  expect((await optIn(phone, {}, by('providers:manage'))).status).toBe(201)
  expect(await check(phone)).toMatchObject([{ status: 'active' }])
})

test('with an Idempotency-Key a repetition gets the first answer, and the ledger one entry', async () => {
  const phone = freshPhone()
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const answers = await Promise.all([1, 2, 3].map(() => optIn(phone, {}, { headers })))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  await optOut(phone)
  expect((await optIn(phone, {}, { headers })).text).toBe(answers[0]!.text)
  expectProblem(await optIn(phone, { source: 'ivr' }, { headers }), 409, 'idempotency_conflict')
  expect((await consentOf(phone)).body.history).toHaveLength(2)
})

test('of a hundred grants and stops, 25 at a time, the last committed wins, and the ledger holds all in their order', async () => {
  const phone = freshPhone()
  const answers: ApiResponse[] = []
  const change = (path: string, fields: object = {}) =>
    postUntilTaken(env, `/api/v1/whatsapp/${path}`, { phone_e164: phone, ...fields })
  const grant = () => change('opt-ins', { source: 'web_form', ...fresh() })
  // Fewer at a time than a tenant has connections: on a busy machine some of a hundred would wait longer than 5 s for one.
  for (let round = 0; round < 4; round++) {
    const some = Array.from({ length: 25 }, (_, at) => (at % 2 === 0 ? grant() : change('opt-outs')))
    answers.push(...(await Promise.all(some)))
  }
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  const { rows } = await env.admin.query(
    `select e.id, e.sequence, e.status, e.action, e.recorded_at from consent.consent_entries e
     where recipient_index = (select recipient_index from consent.consent_entries where id = $1) order by sequence`,
    [answers[0]!.body.id],
  )
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(answers.map(({ body }) => body.id)))
  const times = rows.map(({ recorded_at }) => recorded_at.getTime())
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  const last = rows.at(-1)
  expect(await check(phone)).toEqual([{ status: last.status, marketing_stopped: false, entry_id: last.id }])
  expect(last.status).toBe(last.action === 'opt_in' ? 'active' : 'revoked')
})

test('the ledger cannot be rewritten', async () => {
  const { body } = await optIn(freshPhone())
  for (const change of [`update consent_entries set status = 'revoked'`, 'delete from consent_entries']) {
    await expect(env.sql('consent').query(`${change} where id = $1`, [body.id])).rejects.toThrow('append-only')
  }
})

test('no number, reference or evidence is readable in the database', async () => {
  const phone = freshPhone()
  await optIn(phone, { reference: 'legible', ...fresh() }, { headers: { 'idempotency-key': crypto.randomUUID() } })
  const secrets = [phone.slice(1), 'legible', 'shop.example']
  const { found, columns } = await searchColumns(env.admin, ['consent'], secrets)
  expect(found).toEqual([])
  expect(columns).toEqual(
    expect.arrayContaining([
      'consent.consents.recipient_index',
      'consent.consent_entries.details',
      'consent.outbox.events',
      'consent.idempotency_keys.response',
    ]),
  )
})

test('another tenant, and a test key, see and change nothing of a number', async () => {
  const phone = freshPhone()
  await optIn(phone)
  const path = `/api/v1/whatsapp/opt-ins/${encodeURIComponent(phone)}`
  const permissions = ['notifications:send', 'notifications:read']
  const tenantId = newId('ten')
  await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
  const stranger = await addApplication(env, tenantId)
  const tested = await addKey(env, env, { mode: 'test', permissions })
  for (const { apiKey: key } of [stranger, tested]) {
    expectProblem(await env.api('GET', path, { key }), 404, 'not_found')
    expect((await env.api('GET', '/api/v1/whatsapp/opt-ins', { key })).body.items).toEqual([])
  }
  expectProblem(
    await env.api('GET', path, { token: operatorToken(env, { tenant_id: tenantId, permissions: ['consents:read'] }) }),
    404,
    'not_found',
  )
  for (const { apiKey: key } of [stranger, tested]) {
    const { status } = await env.api('POST', '/api/v1/whatsapp/opt-outs', { key, body: { phone_e164: phone } })
    expect(status).toBe(201)
  }
  expect((await consentOf(phone)).body).toMatchObject({ status: 'active', history: [{ action: 'opt_in' }] })
})

test('the ledger is listed page by page, newest first, to keys and operators', async () => {
  const ids = []
  for (let at = 0; at < 3; at++) ids.unshift((await optIn(freshPhone())).body.id)
  const first = (await env.api('GET', '/api/v1/whatsapp/opt-ins?limit=2')).body
  expect(first.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
  const path = `/api/v1/whatsapp/opt-ins?limit=2&cursor=${first.next_cursor}`
  const second = await env.api('GET', path, { token: env.operatorToken })
  expect(second.body.items[0].id).toBe(ids[2])
  expectProblem(await env.api('GET', '/api/v1/whatsapp/opt-ins?limit=101'), 422, 'validation_failed')
})

describe('bad input stores nothing', () => {
  test.each<[object, string]>([
    [{ phone_e164: '030 123456' }, 'invalid_recipient'],
    [{ phone_e164: '15551230001' }, 'invalid_recipient'],
    [{ phone_e164: '+0555123000' }, 'invalid_recipient'],
    [{ phone_e164: undefined }, 'validation_failed'],
    [{ source: 'telepathy' }, 'validation_failed'],
    [{ source: undefined }, 'validation_failed'],
    [{ evidence_url: 'javascript:alert(1)' }, 'validation_failed'],
    [{ evidence_url: 'http://shop.example/1' }, 'validation_failed'],
    [{ evidence_url: 'https://ada:secret@shop.example/1' }, 'validation_failed'],
    [{ evidence_url: 'https://' }, 'validation_failed'],
    [{ evidence_url: '' }, 'validation_failed'],
    [{ evidence_url: ' https://shop.example/1' }, 'validation_failed'],
    [{ evidence_url: 'https://shop.example/1\n2' }, 'validation_failed'],
    [{ reference: 'nul\0' }, 'validation_failed'],
    [{ status: 'active' }, 'validation_failed'],
  ])('%j', async (fields, code) => {
    const entries = async () =>
      (await env.admin.query('select count(*)::int as n from consent.consent_entries')).rows[0].n
    const before = await entries()
    expectProblem(await optIn(freshPhone(), fields), 422, code)
    expect(await entries()).toBe(before)
  })

  test('a number that nobody recorded is not found, and one in a local format is refused', async () => {
    expectProblem(await consentOf(freshPhone()), 404, 'not_found')
    expectProblem(await consentOf('0301234567'), 422, 'invalid_recipient')
  })

  test('only a key that may send records, and only a key that may read reads', async () => {
    const key = env.apiKeyNoPermissions
    expectProblem(await optIn(freshPhone(), {}, { key }), 403, 'permission_denied')
    expectProblem(await env.api('GET', '/api/v1/whatsapp/opt-ins', { key }), 403, 'permission_denied')
    expectProblem(
      await env.api('GET', '/api/v1/whatsapp/opt-ins', { key: env.apiKeySendOnly }),
      403,
      'permission_denied',
    )
  })
})
