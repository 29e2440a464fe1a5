import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { addBareTenant, operatorToken } from '@notify/test-kit/callers'
import { call, create, env, of, path, pathsOf, webhook, whatsapp } from './stack.ts'

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

test('a WhatsApp provider keeps its number, so that receipts and STOPs to it still count', async () => {
  const { provider_id: id, credentials } = await create(whatsapp())
  const change = (fields: object) => call('PATCH', of(id), { body: { name: 'Changed', credentials: fields } })
  const refused = await change({ phone_number_id: whatsapp().credentials.phone_number_id })
  expectProblem(refused, 422, 'validation_failed')
  expect(pathsOf(refused)).toEqual(['credentials.phone_number_id'])
  expect((await call('GET', of(id))).body).toMatchObject({ name: 'Number', credentials })
  const { phone_number_id } = credentials
  expect((await change({ phone_number_id, business_account_id: '4712' })).body).toMatchObject({
    name: 'Changed',
    credentials: { phone_number_id, business_account_id: '4712' },
  })
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
