import { expect, test } from '@jest/globals'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, otpState, postSend, postVerify, sendCode, sendUntilTaken } from '../codes.ts'
import { env, limitedKey, publishApplication, settingsOf } from './stack.ts'

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

test('a code to an address at an international domain is sent to the ASCII form of the domain', async () => {
  const sent = await sendUntilTaken(env, { channel: 'email', recipient: 'ada@bücher.example' })
  expect(sent.status).toBe(200)
  const [code] = await codesTo(env, 'ada@xn--bcher-kva.example')
  expect((await postVerify(env, sent.body.transaction_id, code)).status).toBe(200)
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
  const text = (fields: object) => textOf(fields, { key })
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
  expect(await textOf({ locale: 'pl-pl', ttl_seconds: 180 })).toBe(
    '000000 to Twój kod weryfikacyjny. Wygaśnie za 3 minuty.',
  )
  expect(await textOf({ language: 'de-AT', ttl_seconds: 60 })).toBe(
    '000000 ist Ihr Bestätigungscode. Er läuft in 1 Minute ab.',
  )
  expect(await textOf({ locale: 'tlh' })).toBe('000000 is your verification code. It expires in 5 minutes.')
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

test('the template of codes is translated like any other; the default of the application comes next, with its own event first', async () => {
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
  const text = (fields: object) => textOf(fields, { key })
  expect(await text({ locale: 'ja-JP' })).toBe('000000 です')
  expect(await text({ locale: 'de' })).toBe('Votre code 000000')
  expect(await text({})).toBe('Votre code 000000')
  await env.sql('dispatch').query(
    `insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates)
     values ($1, $2, 'otp.fr-CA', 'Code', 'published', 1, '{sms}', $3)`,
    [env.tenantId, applicationId, JSON.stringify({ sms: { body: 'Code du Québec {{code}}' } })],
  )
  await eventually(async () => expect(await text({})).toBe('Code du Québec 000000'))
  expect(await text({ locale: 'de' })).toBe('Votre code 000000')
})

/** Sends a code. @returns its message, with zeros as the code */
async function textOf(fields: object, request: ApiRequest = {}): Promise<string> {
  const recipient = freshPhone()
  expect((await sendUntilTaken(env, { channel: 'sms', recipient, ...fields }, request)).status).toBe(200)
  await codesTo(env, recipient)
  return (await env.messages({ to: recipient }))[0]!.text.replace(/[0-9]{6}/, '000000')
}
