import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiRequest, TestEnv } from '@notify/dev-env'
import { itemOf, storeItems } from '@notify/test-kit/activity'
import { asOperator, expectProblem } from '@notify/test-kit/api'
import { addBareTenant, operatorToken } from '@notify/test-kit/callers'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway'])
  const of = (channel: 'sms' | 'email' | 'whatsapp', status: string, count: number, fields: object = {}) =>
    Array.from({ length: count }, () =>
      itemOf(env, { channel, status: status as 'sent', created_at: '2026-06-10T12:00:00.000Z', ...fields }),
    )
  await storeItems(env, [
    ...of('sms', 'delivered', 8),
    ...of('sms', 'undelivered', 1),
    ...of('sms', 'failed', 2),
    ...of('sms', 'cancelled', 3),
    ...of('sms', 'delivered', 5, { mode: 'test' }),
    ...of('email', 'delivered', 300),
    ...of('whatsapp', 'delivered', 10),
  ])
  await env.sql('gateway').query(
    `insert into usage_days (tenant_id, day, application_id, channel, category, country_prefix, messages, segments, credits)
     values ($1, '2026-06-10', $2, 'sms', '', '+49', 4, 4, 4), ($1, '2026-06-10', $2, 'sms', '', '+1876', 5, 11, 5),
       ($1, '2026-06-10', $2, 'whatsapp', 'marketing', '+49', 4, 0, 12),
       ($1, '2026-06-10', $2, 'whatsapp', 'utility', '+44', 6, 0, 6)`,
    [env.tenantId, env.applicationId],
  )
})
afterAll(() => env?.stop())

const call = (method: string, path: string, request: ApiRequest = {}) =>
  asOperator(env, method, `/api/v1/usage/${path}`, request)
const read = (query = '') => call('GET', `messages?from=2026-06-01&to=2026-06-30&${query}`)

test('every message counts, charged or not; those of test keys and cancelled ones do not', async () => {
  const { status, body } = await read()
  expect(status).toBe(200)
  const counted = (channel: string) => body.totals.find((one: { channel: string }) => one.channel === channel)
  expect(counted('email')).toEqual({
    channel: 'email',
    messages: 300,
    taken: 300,
    delivered: 300,
    failed: 0,
    charged: 0,
    segments: 0,
    cost: null,
  })
  expect(counted('sms')).toEqual({
    channel: 'sms',
    messages: 11,
    taken: 9,
    delivered: 8,
    failed: 3,
    charged: 9,
    segments: 15,
    cost: null,
  })
  expect(body.items).toHaveLength(3)
  expect(body.items[0]).toMatchObject({ period: '2026-06-10', application_id: env.applicationId })
  expect((await read('interval=month&channel=sms')).body.items).toEqual([
    expect.objectContaining({ period: '2026-06' }),
  ])
})

test('a price list gives each channel and category its cost, to the cent, and is in the audit log', async () => {
  const prices = [
    { channel: 'sms', price: '0.0755' },
    { channel: 'whatsapp', category: 'marketing', price: '0.13' },
    { channel: 'whatsapp', price: '0.05' },
    { channel: 'email', price: '0.0001' },
  ]
  const { status, body: list } = await call('PUT', 'prices', { body: { currency: 'EUR', prices } })
  expect([status, list.currency, list.prices.length]).toEqual([200, 'EUR', 4])
  expect((await call('GET', 'prices')).body).toEqual(list)
  const { body } = await read()
  const costs = Object.fromEntries(body.totals.map((one: { channel: string; cost: string }) => [one.channel, one.cost]))
  expect([body.currency, costs]).toEqual(['EUR', { sms: '1.1325', whatsapp: '0.82', email: '0.03' }])
  const audit = await env.api('GET', '/api/v1/audit-log?action=price_list.changed', { token: env.operatorToken })
  expect(audit.body.items).toHaveLength(1)
})

test('prices of countries replace those of the channel, also in each period', async () => {
  const prices = [
    { channel: 'sms', price: '0.0755' },
    { channel: 'sms', country_prefix: '+1', price: '0.008' },
    { channel: 'sms', country_prefix: '+1876', price: '0.25' },
    { channel: 'whatsapp', country_prefix: '+49', category: 'marketing', price: '0.11' },
    { channel: 'whatsapp', category: 'marketing', price: '0.13' },
    { channel: 'whatsapp', price: '0.05' },
  ]
  const { status, body: list } = await call('PUT', 'prices', { body: { currency: 'EUR', prices } })
  expect(status).toBe(200)
  expect(list.prices).toContainEqual({ channel: 'sms', category: null, country_prefix: '+1876', price: '0.25' })
  const { body } = await read()
  const costs = (rows: { channel: string; cost: string; segments: number }[]) =>
    Object.fromEntries(rows.map(({ channel, cost, segments }) => [channel, [cost, segments]]))
  const expected = { sms: ['3.052', 15], whatsapp: ['0.74', 0], email: [null, 0] }
  expect([costs(body.totals), costs(body.items)]).toEqual([expected, expected])
})

test('of two changes of the same price list the second is refused, unless it is based on no version', async () => {
  const put = (price: string, query = '') =>
    call('PUT', `prices${query}`, { body: { currency: 'EUR', prices: [{ channel: 'email', price }] } })
  const { version } = (await put('0.001')).body
  const based = `?expected_version=${version}`
  const answers = await Promise.all([put('0.002', based), put('0.003', based)])
  const changed = answers.find(({ status }) => status === 200)!
  expectProblem(answers.find(({ status }) => status === 409)!, 409, 'edit_conflict')
  expect((await call('GET', 'prices')).body).toEqual(changed.body)
  expect(changed.body.version).not.toBe(version)
  expect((await put('0.004')).status).toBe(200)
})

test('charges of days whose items are deleted are listed with their cost, in each period and in total', async () => {
  await env.sql('gateway').query(
    `insert into usage_days (tenant_id, day, application_id, channel, category, country_prefix, messages, segments, credits)
     values ($1, '2025-01-10', $2, 'sms', '', '+49', 4, 6, 4), ($1, '2025-01-11', $2, 'sms', '', '+49', 1, 1, 1)`,
    [env.tenantId, env.applicationId],
  )
  const prices = [{ channel: 'sms', price: '0.05' }]
  expect((await call('PUT', 'prices', { body: { currency: 'EUR', prices } })).status).toBe(200)
  const { body } = await call('GET', 'messages?from=2025-01-01&to=2025-01-31')
  const none = { channel: 'sms', messages: 0, taken: 0, delivered: 0, failed: 0 }
  expect(body.totals).toEqual([{ ...none, charged: 5, segments: 7, cost: '0.35' }])
  expect(body.items).toMatchObject([
    { ...none, period: '2025-01-10', charged: 4, segments: 6, cost: '0.30' },
    { ...none, period: '2025-01-11', charged: 1, segments: 1, cost: '0.05' },
  ])
})

test('pages follow each other, and a cursor of other filters is refused', async () => {
  const seen: string[] = []
  let cursor = ''
  do {
    const { body } = await read(`limit=1${cursor}`)
    seen.push(...body.items.map(({ channel }: { channel: string }) => channel))
    cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : ''
  } while (cursor !== '')
  expect(seen).toEqual(['email', 'sms', 'whatsapp'])
  const { body } = await read('limit=1')
  expectProblem(await read(`limit=1&channel=sms&cursor=${body.next_cursor}`), 422, 'validation_failed')
})

test.each<[string, object]>([
  ['a price that is none', { currency: 'EUR', prices: [{ channel: 'sms', price: '1e3' }] }],
  ['a negative price', { currency: 'EUR', prices: [{ channel: 'sms', price: '-1' }] }],
  [
    'a channel twice',
    {
      currency: 'EUR',
      prices: [
        { channel: 'sms', price: '1' },
        { channel: 'sms', price: '2' },
      ],
    },
  ],
  [
    'a country of a channel without numbers',
    { currency: 'EUR', prices: [{ channel: 'email', country_prefix: '+49', price: '1' }] },
  ],
  [
    'a category of a channel without categories',
    { currency: 'EUR', prices: [{ channel: 'sms', category: 'marketing', price: '1' }] },
  ],
  ['half a country code', { currency: 'EUR', prices: [{ channel: 'sms', country_prefix: '+4', price: '1' }] }],
  ['more than a country code', { currency: 'EUR', prices: [{ channel: 'sms', country_prefix: '+491', price: '1' }] }],
  [
    'a country without its plus sign',
    { currency: 'EUR', prices: [{ channel: 'sms', country_prefix: '49', price: '1' }] },
  ],
  [
    'a country twice',
    {
      currency: 'EUR',
      prices: [
        { channel: 'sms', country_prefix: '+49', price: '1' },
        { channel: 'sms', country_prefix: '+49', price: '2' },
      ],
    },
  ],
  ['a currency that is none', { currency: 'Euro', prices: [] }],
  ['no currency', { prices: [] }],
])('%s is refused', async (_what, body) => {
  expectProblem(await call('PUT', 'prices', { body }), 422, 'validation_failed')
})

test('a misspelt field of a price is refused: without it the price would count for every country', async () => {
  const prices = [{ channel: 'sms', country: '+49', price: '1' }]
  const refused = await call('PUT', 'prices', { body: { currency: 'EUR', prices } })
  expectProblem(refused, 422, 'validation_failed')
  expect(refused.body.errors).toEqual([{ path: 'prices.0.country', message: 'is not a known field' }])
})

test('another tenant has its own list and counts, and prices are changed with providers:manage', async () => {
  const { tenantId } = await addBareTenant(env)
  const token = operatorToken(env, { tenant_id: tenantId, permissions: ['usage:read'] })
  expect((await call('GET', 'prices', { token })).body).toEqual({
    version: expect.any(String),
    currency: null,
    prices: [],
  })
  expect((await call('GET', 'messages?from=2026-06-01&to=2026-06-30', { token })).body.totals).toEqual([])
  expectProblem(await call('PUT', 'prices', { token, body: { currency: 'EUR', prices: [] } }), 403, 'permission_denied')
})
