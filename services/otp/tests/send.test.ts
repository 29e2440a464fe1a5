import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { applicationChanged, newId } from '@notify/contracts'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { openBus } from '@notify/test-kit/bus'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, otpState, postResend, postSend, postVerify, sendCode, sendUntilTaken } from './codes.ts'

let env: TestEnv
/** It sends codes to two countries, and browsers fill them in. */
const limitedId = 'app_01jd3x8qk5w9t2m4v6b8n0p2r4'
let limitedKey: string

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp', 'callbacks'], {
    env: { otp: { SENDS_PER_COUNTRY: '100' } },
  })
  await env.admin.query(`insert into gateway.applications (id, tenant_id, name) values ($1, $2, 'Limited')`, [
    limitedId,
    env.tenantId,
  ])
  const own = { tenantId: env.tenantId, applicationId: limitedId }
  const otp = { allowed_countries: ['+1', '+4915'], autofill_host: 'shop.example', sends_per_minute: 4 }
  await publishApplication({ application_id: limitedId, revision: 2, otp })
  await eventually(async () => expect(await settingsOf(limitedId)).toEqual({ revision: 2, settings: otp }))
  limitedKey = (await addKey(env, own, { permissions: ['otp:send', 'otp:verify'] })).apiKey
})
afterAll(() => env?.stop())

/** The gateway publishes an application. */
async function publishApplication(fields: object): Promise<void> {
  await using bus = await openBus(env)
  const event = { tenant_id: env.tenantId, allowed_origins: [], status: 'active', ...fields }
  await bus.js.publish(applicationChanged.subject, JSON.stringify([{ event }]), { msgID: newId('msg') })
}

const settingsOf = async (id: string) =>
  (await env.sql('otp').query('select revision, settings from applications where id = $1', [id])).rows[0]

const rows = async (table: string) => (await env.sql('otp').query(`select count(*)::int as n from ${table}`)).rows[0].n

test('a code by email states its lifetime, and the API shows only the masked recipient', async () => {
  const { status, body } = await sendUntilTaken(env, {
    channel: 'email',
    recipient: 'ada@example.com',
    ttl_seconds: 90,
    length: 4,
  })
  expect([status, body]).toEqual([
    200,
    { status: 'sent', transaction_id: expect.stringMatching(/^otp_[0-9a-z]{26}$/), expires_in_seconds: 90 },
  ])
  const [code] = await codesTo(env, 'ada@example.com')
  expect(code).toMatch(/^[0-9]{4}$/)
  const [message] = await env.messages({ to: 'ada@example.com' })
  expect([message!.subject, message!.text]).toEqual([
    'Your verification code',
    expect.stringContaining(`${code} is your verification code. It expires in 1 minute.`),
  ])
  expect(await otpState(env, body.transaction_id)).toMatchObject({
    channel: 'email',
    recipient_masked: 'a***@example.com',
    attempts_remaining: 5,
    resends_remaining: 3,
  })
  expect((await postVerify(env, body.transaction_id, code)).status).toBe(200)
})

test('the state shows delivery, and a failure with its reason; the code still verifies', async () => {
  const delivered = await sendCode(env)
  await eventually(async () => expect(await otpState(env, delivered.id)).toMatchObject({ status: 'delivered' }))
  const failed = await sendCode(env, {}, freshPhone('0002'))
  const state = { status: 'failed', failure_reason: expect.any(String) }
  await eventually(async () => expect(await otpState(env, failed.id)).toMatchObject(state))
  expect((await postVerify(env, failed.id, failed.code)).status).toBe(200)
})

test('a code chosen by the caller needs a permission, and verifies like any other', async () => {
  const body = { channel: 'sms', recipient: freshPhone(), code: '0042007' }
  expectProblem(await postSend(env, body, { key: limitedKey }), 403, 'permission_denied')
  const { id } = await sendCode(env, { code: '0042007' })
  expect((await postVerify(env, id, '0042007')).status).toBe(200)
})

const phone = '+15550000000'
const invalid: [string, object, string][] = [
  ['length 5', { length: 5 }, 'length'],
  ['a length in text', { length: '6' }, 'length'],
  ['ttl 0', { ttl_seconds: 0 }, 'ttl_seconds'],
  ['ttl -1', { ttl_seconds: -1 }, 'ttl_seconds'],
  ['ttl 1e9', { ttl_seconds: 1e9 }, 'ttl_seconds'],
  ['ttl in text', { ttl_seconds: '300' }, 'ttl_seconds'],
  ['ttl with a fraction', { ttl_seconds: 30.5 }, 'ttl_seconds'],
  ['code abc', { code: 'abc' }, 'code'],
  ['Arabic digits', { code: '١٢٣٤' }, 'code'],
  ['a code as number', { code: 123456 }, 'code'],
  ['a code of 6 digits with length 4', { code: '123456', length: 4 }, 'code'],
  ['a code of 11 digits', { code: '12345678901' }, 'code'],
  ['a code with a line break', { code: '123456\n' }, 'code'],
  ['no channel', { channel: undefined }, 'channel'],
  ['a channel without codes', { channel: 'in_app' }, 'channel'],
  ['no recipient', { recipient: undefined }, 'recipient'],
  ['an object as recipient', { recipient: { phone } }, 'recipient'],
  ['an unknown field', { body: 'Your code is {{code}}' }, 'body'],
  ['an invalid language', { language: '../x' }, 'language'],
  ['an invalid locale', { locale: 'de_DE' }, 'locale'],
  ['a language that is not the locale', { locale: 'de', language: 'fr' }, 'language'],
]

test.each(invalid)('%s is 422 and names the path', async (_what, fields, path) => {
  const before = await rows('transactions')
  const answer = await postSend(env, { channel: 'sms', recipient: phone, ...fields })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(path)
  expect(await rows('transactions')).toBe(before)
})

test.each([
  ['sms', 'ada@example.com'],
  ['sms', '15550000000'],
  ['sms', '+1 555 000 0000'],
  ['email', '+15550000000'],
  ['email', 'ada@localhost'],
  ['whatsapp', 'ada@example.com'],
])('%s does not reach %s: 422 invalid_recipient', async (channel, recipient) => {
  const answer = await postSend(env, { channel, recipient })
  expectProblem(answer, 422, 'invalid_recipient')
  expect(answer.body.errors).toEqual([{ path: 'recipient', message: expect.any(String) }])
})

test.each([
  [{ transaction_id: ['otp_1'], code: '123456' }, 'transaction_id'],
  [{ transaction_id: 'otp_1', code: 123456 }, 'code'],
  [{ transaction_id: 'otp_1', code: { is: '123456' } }, 'code'],
  [{ transaction_id: 'otp_1', code: ['123456'] }, 'code'],
  [{ transaction_id: { $ne: '' }, code: '123456' }, 'transaction_id'],
  [{ transaction_id: 'otp_1', code: 'abc' }, 'code'],
  [{ transaction_id: 'otp_1' }, 'code'],
  [{ transaction_id: 'otp_1', code: '123456', application_id: limitedId }, 'application_id'],
])('verifying %j is 422 and names the path', async (body, path) => {
  const answer = await env.api('POST', '/api/v1/otp/verify', { body })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe(path)
})

test('a key without the permission is refused', async () => {
  const body = { channel: 'sms', recipient: freshPhone() }
  expectProblem(await postSend(env, body, { key: env.apiKeySendOnly }), 403, 'permission_denied')
  const { id, code } = await sendCode(env)
  const answer = await postVerify(env, id, code, { key: env.apiKeySendOnly })
  expectProblem(answer, 403, 'permission_denied')
})

test('a repetition under the same key sends one code; another body is a conflict', async () => {
  const recipient = freshPhone()
  const headers = { 'idempotency-key': `send-${recipient}` }
  const body = { channel: 'sms', recipient }
  const answers = await Promise.all(Array.from({ length: 10 }, () => postSend(env, body, { headers })))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expectProblem(await postSend(env, { ...body, length: 4 }, { headers }), 409, 'idempotency_conflict')
  const [code] = await codesTo(env, recipient)
  expect((await postVerify(env, answers[0]!.body.transaction_id, code)).status).toBe(200)
})

test('a resend under one key is one resend', async () => {
  const { id, phone } = await sendCode(env)
  const headers = { 'idempotency-key': `resend-${id}` }
  const answers = await Promise.all([1, 2, 3].map(() => postResend(env, id, { headers })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await otpState(env, id)).toMatchObject({ resends_remaining: 2 })
  await codesTo(env, phone, 2)
})

test('an application sends only to allowed countries, up to its limit a minute, and browsers fill its codes in', async () => {
  const asLimited = (recipient: string) => postSend(env, { channel: 'sms', recipient }, { key: limitedKey })
  for (const recipient of ['+447700900100', '+491601234567', '+79161234567']) {
    const refused = await asLimited(recipient)
    expectProblem(refused, 422, 'country_not_allowed')
    expect(refused.body.errors[0].path).toBe('recipient')
  }
  const recipient = freshPhone()
  const answers = [await asLimited(recipient), await asLimited('+491512345100')]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const [code] = await codesTo(env, recipient)
  const [message] = await env.messages({ to: recipient })
  expect(message!.text.split('\n').at(-1)).toBe(`@shop.example #${code}`)
  await asLimited(freshPhone())
  await asLimited(freshPhone())
  expectProblem(await asLimited(freshPhone()), 429, 'otp_rate_limited')
})

test('settings apply while otp runs, and an older revision changes nothing', async () => {
  const { applicationId } = await addApplication(env)
  const own = { tenantId: env.tenantId, applicationId }
  const { apiKey: key } = await addKey(env, own, { permissions: ['otp:send'] })
  const send = () => postSend(env, { channel: 'sms', recipient: freshPhone() }, { key })
  const publish = (revision: number, otp: object) =>
    publishApplication({ application_id: applicationId, revision, otp })
  expect((await send()).status).toBe(200)
  await publish(3, { allowed_countries: ['+44'], added_later: true })
  await eventually(async () => expectProblem(await send(), 422, 'country_not_allowed'))
  await publish(2, { allowed_countries: ['+1'] })
  await publish(4, {})
  await eventually(async () => expect(await settingsOf(applicationId)).toEqual({ revision: 4, settings: {} }))
  await eventually(async () => expect((await send()).status).toBe(200))
})

test('a tenant sends up to its limit of codes a minute to a country', async () => {
  const to = (index: number) => postSend(env, { channel: 'sms', recipient: `+3531234${1000 + index}` })
  const answers: ApiResponse[] = []
  // A few at a time: a busy machine would answer some of a hundred concurrent requests too late.
  for (let sent = 0; sent < 105; sent += 15)
    answers.push(...(await Promise.all(Array.from({ length: 15 }, (_, index) => to(sent + index)))))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
  expectProblem(answers.find(({ status }) => status !== 200)!, 429, 'otp_rate_limited')
})

test('a code that dispatch refuses is refused, does not verify, and does not count for the recipient', async () => {
  const recipient = freshPhone()
  await env.api('POST', '/api/v1/suppressions', { token: env.operatorToken, body: { channel: 'sms', recipient } })
  const headers = { 'idempotency-key': `suppressed-${recipient}` }
  for (let count = 0; count < 6; count++) {
    const answer = await postSend(env, { channel: 'sms', recipient }, { headers })
    expectProblem(answer, 422, 'recipient_suppressed')
  }
  const { rows: left } = await env
    .sql('otp')
    .query(
      `select count(*)::int as n from transactions where failure_reason = 'recipient_suppressed' and code_proof is not null`,
    )
  expect(left[0].n).toBe(0)
  const { items } = (await env.api('GET', `/api/v1/suppressions?limit=100`, { token: env.operatorToken })).body
  await env.api('DELETE', `/api/v1/suppressions/${items[0].suppression_id}`, { token: env.operatorToken })
  expect((await sendUntilTaken(env, { channel: 'sms', recipient }, { headers })).status).toBe(200)
})

test('after a resend that dispatch refuses the earlier code verifies, the state is as before, and a repetition sends another', async () => {
  const { id, code, phone } = await sendCode(env)
  await eventually(async () => expect(await otpState(env, id)).toMatchObject({ status: 'delivered' }))
  const before = await otpState(env, id)
  const suppress = { token: env.operatorToken, body: { channel: 'sms', recipient: phone } }
  const { body: suppression } = await env.api('POST', '/api/v1/suppressions', suppress)
  const headers = { 'idempotency-key': `refused-${id}` }
  for (let count = 0; count < 4; count++)
    expectProblem(await postResend(env, id, { headers }), 422, 'recipient_suppressed')
  expect(await otpState(env, id)).toEqual(before)
  await env.api('DELETE', `/api/v1/suppressions/${suppression.suppression_id}`, { token: env.operatorToken })
  expect((await postResend(env, id, { headers })).status).toBe(200)
  const [second] = await codesTo(env, phone, 2)
  expectProblem(await postVerify(env, id, code), 422, 'otp_invalid_code')
  await env.api('POST', '/api/v1/suppressions', suppress)
  expectProblem(await postResend(env, id), 422, 'recipient_suppressed')
  expect((await postVerify(env, id, second)).status).toBe(200)
})

test('codes that are refused, for their recipient or by dispatch, do not count for their application', async () => {
  const { applicationId } = await addApplication(env)
  const otp = { sends_per_minute: 6 }
  await publishApplication({ application_id: applicationId, revision: 2, otp })
  await eventually(async () => expect(await settingsOf(applicationId)).toMatchObject({ settings: otp }))
  const { apiKey: key } = await addKey(env, { tenantId: env.tenantId, applicationId }, { permissions: ['otp:send'] })
  const send = (recipient: string) => sendUntilTaken(env, { channel: 'sms', recipient }, { key })
  const [suppressed, pressed] = [freshPhone(), freshPhone()]
  const suppress = { token: env.operatorToken, body: { channel: 'sms', recipient: suppressed } }
  await env.api('POST', '/api/v1/suppressions', suppress)
  for (let sent = 0; sent < 7; sent++) expectProblem(await send(suppressed), 422, 'recipient_suppressed')
  for (let sent = 0; sent < 5; sent++) expect((await send(pressed)).status).toBe(200)
  for (let sent = 0; sent < 7; sent++) {
    const refused = await send(pressed)
    expectProblem(refused, 429, 'otp_rate_limited')
    expect(refused.body.detail).toContain('recipient')
  }
  expect((await send(freshPhone())).status).toBe(200)
})

test("the code is sent with the application's template, the one of the language first", async () => {
  const { applicationId } = await addApplication(env)
  const { apiKey: key } = await addKey(env, { tenantId: env.tenantId, applicationId }, { permissions: ['otp:send'] })
  const templates = { otp: 'Code {{code}}, {{minutes}} min', 'otp.de': 'Ihr Code: {{code}} ({{minutes}} Minuten)' }
  for (const [eventKey, body] of Object.entries(templates)) {
    await env.sql('dispatch').query(
      `insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates)
       values ($1, $2, $3, 'Code', 'published', 1, '{sms}', $4)`,
      [env.tenantId, applicationId, eventKey, JSON.stringify({ sms: { body } })],
    )
  }
  const text = async (fields: object) => {
    const recipient = freshPhone()
    expect((await sendUntilTaken(env, { channel: 'sms', recipient, ...fields }, { key })).status).toBe(200)
    await codesTo(env, recipient)
    return (await env.messages({ to: recipient }))[0]!.text.replace(/[0-9]{6}/, '000000')
  }
  expect(await text({ language: 'de' })).toBe('Ihr Code: 000000 (5 Minuten)')
  expect(await text({ language: 'fr', ttl_seconds: 30 })).toBe('Code 000000, 1 min')
  expect(await text({ ttl_seconds: 119 })).toBe('Code 000000, 1 min')
  // The language of the key is that of the text.
  await eventually(async () => {
    const filter = new URLSearchParams({ application_id: applicationId, locale: 'de' })
    const { items } = (await env.api('GET', `/api/v1/activity?${filter}`, { token: env.operatorToken })).body
    expect(items).toMatchObject([{ locale: 'de', requested_locale: 'de' }])
  })
  expect(await text({})).toBe('Code 000000, 5 min')
})

test('without a template the code is sent in the first of our languages, and numbers the minutes as that language does', async () => {
  const text = async (fields: object) => {
    const recipient = freshPhone()
    expect((await sendUntilTaken(env, { channel: 'sms', recipient, ...fields })).status).toBe(200)
    await codesTo(env, recipient)
    return (await env.messages({ to: recipient }))[0]!.text.replace(/[0-9]{6}/, '000000')
  }
  expect(await text({ locale: 'pl-pl', ttl_seconds: 180 })).toBe(
    '000000 to Twój kod weryfikacyjny. Wygaśnie za 3 minuty.',
  )
  expect(await text({ language: 'de-AT', ttl_seconds: 60 })).toBe(
    '000000 ist Ihr Bestätigungscode. Er läuft in 1 Minute ab.',
  )
  expect(await text({ locale: 'tlh' })).toBe('000000 is your verification code. It expires in 5 minutes.')
  const recipient = freshPhone()
  for (const fields of [{ locale: 'tlh' }, {}]) await postSend(env, { channel: 'sms', recipient, ...fields })
  await eventually(async () => {
    const filter = new URLSearchParams({ recipient })
    const { items } = (await env.api('GET', `/api/v1/activity?${filter}`, { token: env.operatorToken })).body
    expect(items).toMatchObject([
      { locale: 'en', requested_locale: null },
      { locale: 'en', requested_locale: 'tlh' },
    ])
  })
})

test('the template of codes is translated like any other; the default of the application comes next', async () => {
  const { applicationId } = await addApplication(env)
  const { apiKey: key } = await addKey(env, { tenantId: env.tenantId, applicationId }, { permissions: ['otp:send'] })
  await publishApplication({ application_id: applicationId, revision: 2, otp: {}, default_locale: 'fr-CA' })
  await eventually(async () => expect((await settingsOf(applicationId))?.settings.default_locale).toBe('fr-CA'))
  await env.sql('dispatch').query(
    `insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates, translations)
     values ($1, $2, 'otp', 'Code', 'published', 1, '{sms}', $3, $4)`,
    [
      ...[env.tenantId, applicationId, JSON.stringify({ sms: { body: 'Code {{code}}' } })],
      JSON.stringify({ fr: { sms: { body: 'Votre code {{code}}' } }, ja: { sms: { body: '{{code}} です' } } }),
    ],
  )
  const text = async (fields: object) => {
    const recipient = freshPhone()
    expect((await sendUntilTaken(env, { channel: 'sms', recipient, ...fields }, { key })).status).toBe(200)
    await codesTo(env, recipient)
    return (await env.messages({ to: recipient }))[0]!.text.replace(/[0-9]{6}/, '000000')
  }
  expect(await text({ locale: 'ja-JP' })).toBe('000000 です')
  expect(await text({ locale: 'de' })).toBe('Votre code 000000')
  expect(await text({})).toBe('Votre code 000000')
})

// The last test, because without Redis, and for a moment afterwards, the other limits count from zero.
test('five codes to a recipient in ten minutes, under any concurrency, over all applications, with and without Redis', async () => {
  const recipient = freshPhone()
  const body = { channel: 'sms', recipient }
  const other = (await addKey(env, await addApplication(env), { permissions: ['otp:send'] })).apiKey
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => postSend(env, body, index % 2 ? {} : { key: other })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const answer of refused) {
    expectProblem(answer, 429, 'otp_rate_limited')
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds > 590 && seconds <= 600).toBe(true)
  }
  await env.kill('redis')
  try {
    expectProblem(await postSend(env, body), 429, 'otp_rate_limited')
    // Without Redis the other limits still count, and codes are sent.
    expect((await sendUntilTaken(env, { channel: 'sms', recipient: freshPhone() })).status).toBe(200)
  } finally {
    await env.restart('redis')
  }
  // Moves the codes of this recipient ten minutes back.
  await env.sql('otp').query(`update messages set created_at = created_at - interval '10 minutes'`)
  expect((await sendUntilTaken(env, body)).status).toBe(200)
  await codesTo(env, recipient, 6)
})
