import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { call, create, env, of, smtp, token, twilio, whatsapp } from './stack.ts'

test('a test call says what came back from the carrier, good or bad', async () => {
  const { state } = env.stack
  const check = async (id: string) => {
    const answer = await call('POST', of(id, '/test'))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ provider_id: id, duration_ms: expect.any(Number) })
    return answer.body
  }
  const { twilio_provider_id, ses_provider_id, meta_provider_id, meta_own_provider_id } = state
  const good = { ok: true, code: null, message: expect.stringMatching(/account|number/) }
  // The first one loads what talks to the carrier, for which its time may be too short.
  for (const id of [twilio_provider_id, ses_provider_id, meta_provider_id, meta_own_provider_id])
    await eventually(async () => expect(await check(id)).toMatchObject(good))
  const wrong = [
    twilio({
      credentials: { account_sid: state.twilio_account_sid, auth_token: `${token}wrong`, from: '+15005550006' },
    }),
    {
      channel: 'email',
      kind: 'ses',
      name: 'Wrong',
      credentials: {
        region: 'us-east-1',
        access_key_id: state.ses_access_key_id,
        secret_access_key: 'wrong-wrong-wrong-wrong',
        from: 'no-reply@demo-shop.example',
      },
    },
    whatsapp(),
  ]
  for (const body of wrong) {
    const { provider_id } = await create(body)
    const result = await check(provider_id)
    expect(result).toMatchObject({ ok: false, code: expect.any(String) })
    expect(JSON.stringify(result)).not.toMatch(/wrong-wrong|EAA-this/)
    await call('DELETE', of(provider_id))
  }
})

test('a test call of a mail server whose name does not resolve says so', async () => {
  const { provider_id } = await create(smtp('mail.never-registered.example.com'))
  const answer = await call('POST', of(provider_id, '/test'))
  expect(answer.body).toMatchObject({
    ok: false,
    code: expect.any(String),
    message: expect.stringContaining('reached'),
  })
})

test('an app of one’s own gets a token for its registration, shown once, and its templates are read at once', async () => {
  const made = await create(whatsapp({ app_secret: 'app-secret-of-ours' }))
  expect(made.verify_token).toMatch(/^[\w-]{32}$/)
  expect(made.credentials).toMatchObject({ app_secret: '****ours', verify_token: `****${made.verify_token.slice(-4)}` })
  expect(made.callback_url).toBe(`${env.stack.url('gateway')}/api/v1/callbacks/cloud/${made.provider_id}`)
  const shown = await call('GET', of(made.provider_id))
  expect(shown.text).not.toContain(made.verify_token)
  const query = new URLSearchParams({
    'hub.mode': 'subscribe',
    'hub.verify_token': made.verify_token,
    'hub.challenge': '1158201444',
  })
  await eventually(async () => {
    const answer = await env.api('GET', `/api/v1/callbacks/cloud/${made.provider_id}?${query}`, { key: null })
    expect([answer.status, answer.text]).toEqual([200, '1158201444'])
  })
  await eventually(async () => {
    const { rows } = await env.admin.query('select from dispatch.carrier_template_syncs where provider_id = $1', [
      made.provider_id,
    ])
    expect(rows).toHaveLength(1)
  })
  expect((await create(whatsapp())).callback_url).toContain('/cloud/shared')
})

test('a provider of the shared app gets an app of its own only together with a token for its registration', async () => {
  const { provider_id: id } = await create(whatsapp())
  const app_secret = 'app-secret-of-ours'
  const refused = await call('PATCH', of(id), { body: { credentials: { app_secret } } })
  expectProblem(refused, 422, 'validation_failed')
  expect(refused.body.errors).toEqual([{ path: 'credentials.verify_token', message: 'must be given' }])
  const changed = await call('PATCH', of(id), {
    body: { credentials: { app_secret, verify_token: 'a-token-of-ours' } },
  })
  expect([changed.status, changed.body.callback_url]).toEqual([200, expect.stringContaining(`/cloud/${id}`)])
  expectProblem(
    await call('PATCH', of(id), { body: { credentials: { verify_token: null } } }),
    422,
    'validation_failed',
  )
})
