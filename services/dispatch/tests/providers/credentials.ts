import { expect, test } from '@jest/globals'
import { type ApiRequest, eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { call, create, env, of, path, pathsOf, smtp, token, twilio, webhook, whatsapp } from './stack.ts'

test('credentials go in and never come out: of secrets the last four characters show', async () => {
  const made = await create(twilio())
  expect(made).toEqual({
    provider_id: expect.stringMatching(/^prov_/),
    application_id: null,
    subscription_id: null,
    channel: 'sms',
    kind: 'twilio',
    name: 'Second account',
    priority: 2,
    weight: 100,
    rate_limit_per_second: null,
    credentials: { account_sid: `AC${'c'.repeat(32)}`, auth_token: '****9a8b', from: '+15005550007' },
    credentials_updated_at: expect.any(String),
    callback_url: expect.stringContaining('/api/v1/callbacks/smsprovider/inbound'),
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  expect((await call('GET', of(made.provider_id))).body).toEqual(made)
  const listed = await call('GET', `${path}?channel=sms`)
  expect(listed.body.items[0]).toEqual(made)
  expect(listed.text).not.toContain(token)
  await call('DELETE', of(made.provider_id))
})

test('the weight is a share from 0 to 100', async () => {
  const made = await create(twilio({ weight: 5 }))
  const change = (weight: unknown) => call('PATCH', of(made.provider_id), { body: { weight } })
  expect([made.weight, (await change(0)).body.weight]).toEqual([5, 0])
  for (const weight of [-1, 101, 1.5, '5']) expect(pathsOf(await change(weight))).toEqual(['weight'])
  await call('DELETE', of(made.provider_id))
})

test('a provider without a rate gets the default of its kind: WhatsApp 80 in a second, Twilio none; null means none', async () => {
  const rateOf = async (body: object) => {
    const { provider_id, rate_limit_per_second } = await create(body)
    expect((await call('GET', of(provider_id))).body).toMatchObject({ rate_limit_per_second })
    await call('DELETE', of(provider_id))
    return rate_limit_per_second
  }
  expect(await rateOf(whatsapp())).toBe(80)
  expect(await rateOf(whatsapp({}, { rate_limit_per_second: 20 }))).toBe(20)
  expect(await rateOf(whatsapp({}, { rate_limit_per_second: null }))).toBeNull()
  expect(await rateOf(twilio())).toBeNull()
})

test('a webhook provider gets neither a rate nor a weight, which would have no effect; its defaults may be repeated', async () => {
  const { provider_id, weight, rate_limit_per_second } = await create(
    webhook({ weight: 100, rate_limit_per_second: null }),
  )
  const change = (body: object) => call('PATCH', of(provider_id), { body })
  expect(pathsOf(await change({ weight: 0 }))).toEqual(['weight'])
  expect(pathsOf(await change({ rate_limit_per_second: 1 }))).toEqual(['rate_limit_per_second'])
  const repeated = await change({ name: 'Hooks again', weight, rate_limit_per_second })
  expect(repeated.body).toMatchObject({ name: 'Hooks again', weight: 100, rate_limit_per_second: null })
  await call('DELETE', of(provider_id))
})

test('credentials are replaced field by field, and the old ones are no longer used', async () => {
  const made = await create(twilio())
  const change = (credentials: object) => call('PATCH', of(made.provider_id), { body: { credentials } })
  expect((await change({ auth_token: `${token}0000` })).body.credentials).toMatchObject({
    account_sid: made.credentials.account_sid,
    auth_token: '****0000',
  })
  const moved = await change({ from: null, messaging_service_sid: `MG${'d'.repeat(32)}` })
  expect(Object.keys(moved.body.credentials)).not.toContain('from')
  expect(pathsOf(await change({ auth_token: 'short' }))).toEqual(['credentials.auth_token'])
  expect(pathsOf(await change({ auth_token: null }))).toEqual(['credentials.auth_token'])
  expect(pathsOf(await change({ colour: 'blue' }))).toEqual(['credentials.colour'])
  expect((await call('GET', of(made.provider_id))).body.credentials).toEqual(moved.body.credentials)
  await eventually(async () => {
    const { rows } = await env.admin.query('select revision, sender from callbacks.providers where id = $1', [
      made.provider_id,
    ])
    expect(rows).toEqual([{ revision: 3, sender: `MG${'d'.repeat(32)}` }])
  })
  await call('DELETE', of(made.provider_id))
})

test('a password is not sent to another host or port than the one for which it was given', async () => {
  const mail = smtp('mail.never-registered.example.com')
  const login = { username: 'shop', password: 'a password of the shop' }
  const made = await create({ ...mail, credentials: { ...mail.credentials, security: 'tls', ...login } })
  const change = (credentials: object) => call('PATCH', of(made.provider_id), { body: { credentials } })
  for (const elsewhere of [{ host: 'mail.of-somebody-else.example.com' }, { port: '465' }]) {
    const refused = await change(elsewhere)
    expectProblem(refused, 422, 'validation_failed')
    expect(pathsOf(refused)).toEqual(['credentials.password'])
    expect((await change({ ...elsewhere, password: 'another password' })).status).toBe(200)
  }
  const { host } = (await call('GET', of(made.provider_id))).body.credentials
  expect((await change({ host: host.toUpperCase(), username: 'orders' })).status).toBe(200)
  expect((await change({ host: 'mail.example.com', username: null, password: null })).status).toBe(200)
  await call('DELETE', of(made.provider_id))
})

test('a signing secret is made by us, shown once, and rotated with an overlap of a day', async () => {
  const made = await create(webhook({ credentials: { retry_delays: '1s,5s' } }))
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
  expect((await call('GET', of(made.provider_id))).text).not.toContain(made.secret)
  const rotate = (request: ApiRequest = {}) => call('POST', of(made.provider_id, '/rotate-secret'), request)
  const headers = { 'idempotency-key': 'rotate-1' }
  const rotated = await rotate({ headers })
  expect(rotated.body).toEqual({
    provider_id: made.provider_id,
    secret: expect.stringMatching(/^whsec_/),
    previous_valid_until: expect.any(String),
  })
  expect(rotated.body.secret).not.toBe(made.secret)
  const hours = (Date.parse(rotated.body.previous_valid_until) - Date.now()) / 3_600_000
  expect(Math.round(hours)).toBe(24)
  expect((await rotate({ headers })).text).toBe(rotated.text)
  await eventually(async () => {
    const { rows } = await env.admin.query(
      'select revision, previous_secret is not null as has_previous, previous_until from webhook_delivery.providers where id = $1',
      [made.provider_id],
    )
    expect(rows).toEqual([
      { revision: 2, has_previous: true, previous_until: new Date(rotated.body.previous_valid_until) },
    ])
  })
  const again = [await rotate(), await rotate()]
  const { credentials } = (await call('GET', of(made.provider_id))).body
  const shown = [credentials.secret, credentials.previous_secret, credentials.older_secret]
  const newest = [again[1]!.body.secret, again[0]!.body.secret, rotated.body.secret]
  expect(shown).toEqual(newest.map((secret: string) => `****${secret.slice(-4)}`))
  const refused = await call('POST', of(env.stack.state.twilio_provider_id, '/rotate-secret'))
  expectProblem(refused, 409, 'secret_of_carrier')
})
