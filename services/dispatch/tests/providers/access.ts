import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { call, create, env, of, path, pathsOf, twilio, webhook, whatsapp } from './stack.ts'

test('a number of another tenant cannot be connected, also of many who try at the same moment', async () => {
  const other = await addBareTenant(env)
  const stranger = operatorToken(env, { tenant_id: other.tenantId, permissions: ['providers:manage'] })
  const taken = whatsapp({ phone_number_id: env.stack.state.meta_phone_number_id })
  expectProblem(await call('POST', path, { body: taken, token: stranger }), 409, 'provider_already_connected')
  const fresh = whatsapp()
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) => {
      const request = { body: fresh, headers: { 'idempotency-key': crypto.randomUUID() } }
      return untilAvailable(() => call('POST', path, at % 2 ? request : { ...request, token: stranger }))
    }),
  )
  const winners = answers.map(({ status }, at) => [status, at % 2] as const).filter(([status]) => status === 201)
  expect(new Set(winners.map(([, who]) => who)).size).toBe(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(3)
  // Nor by a change; a number is not given free while its receipts still count.
  const own = await create(whatsapp(), { token: stranger })
  const change = { credentials: { phone_number_id: env.stack.state.meta_phone_number_id } }
  expectProblem(
    await call('PATCH', of(own.provider_id), { body: change, token: stranger }),
    409,
    'provider_already_connected',
  )
  await call('DELETE', of(own.provider_id), { token: stranger })
  const again = whatsapp({ phone_number_id: own.credentials.phone_number_id })
  expectProblem(await call('POST', path, { body: again }), 409, 'provider_already_connected')
})

const bird = () => ({
  channel: 'sms',
  kind: 'bird',
  name: 'Channel',
  credentials: {
    access_key: 'access-key-of-bird',
    workspace_id: crypto.randomUUID(),
    channel_id: crypto.randomUUID(),
    signing_key: 'signing-key-of-bird',
  },
})

test.each([
  ['phone_number_id', whatsapp(), whatsapp().credentials.phone_number_id, { business_account_id: '4712' }],
  ['account_sid', twilio(), `AC${'d'.repeat(32)}`, { from: '+15005550008' }],
  ['channel_id', bird(), crypto.randomUUID(), { workspace_id: crypto.randomUUID() }],
])('a provider keeps its %s, so that receipts and STOPs still count', async (field, body, another, others) => {
  const { provider_id: id, credentials } = await create(body)
  const change = (fields: object) => call('PATCH', of(id), { body: { name: 'Changed', credentials: fields } })
  const refused = await change({ [field]: another })
  expectProblem(refused, 422, 'validation_failed')
  expect(pathsOf(refused)).toEqual([`credentials.${field}`])
  expect((await call('GET', of(id))).body).toMatchObject({ name: body.name, credentials })
  const kept = { [field]: credentials[field], ...others }
  expect((await change(kept)).body).toMatchObject({ name: 'Changed', credentials: kept })
  await call('DELETE', of(id))
})

test('only operators with providers:manage come near, and only to their own tenant’s', async () => {
  const { provider_id: id } = await create(webhook())
  const other = await addBareTenant(env)
  const mayNot = operatorToken(env, { permissions: ['activity:read', 'events:manage'] })
  const stranger = operatorToken(env, { tenant_id: other.tenantId, permissions: ['providers:manage'] })
  const routes: [string, string, object?][] = [
    ['GET', path],
    ['POST', path, webhook()],
    ['GET', of(id)],
    ['PATCH', of(id), { name: 'x' }],
    ['DELETE', of(id)],
    ['POST', of(id, '/test')],
    ['POST', of(id, '/rotate-secret')],
  ]
  for (const [method, url, body] of routes) {
    const request = body ? { body } : {}
    expectProblem(await env.api(method, url, { ...request, token: mayNot }), 403, 'permission_denied')
    expectProblem(await env.api(method, url, request), 403, 'permission_denied')
    expectProblem(await env.api(method, url, { ...request, key: null }), 401, 'unauthenticated')
    if (url === path) continue
    const foreign = await env.api(method, url, { ...request, token: stranger })
    expectProblem(foreign, 404, 'not_found')
    const unknown = await env.api(method, url.replace(id, newId('prov')), { ...request, token: stranger })
    expect(unknown.body.detail).toBe(foreign.body.detail)
  }
  expect((await env.api('GET', path, { token: stranger })).body.items).toEqual([])
  const foreignApplication = await call('POST', path, { body: webhook({ application_id: other.applicationId }) })
  expect(pathsOf(foreignApplication)).toEqual(['application_id'])
  for (const query of ['limit=0', 'limit=101', 'cursor=x', 'channel=fax'])
    expectProblem(await call('GET', `${path}?${query}`), 422, 'validation_failed')
})
