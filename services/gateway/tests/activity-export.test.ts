import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { activity, itemOf, type StoredItem, storeItems } from '@notify/test-kit/activity'
import { expectProblem, post, postUntilTaken, untilState } from '@notify/test-kit/api'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

const start = Date.UTC(2026, 5, 1)
const count = 6_000
/** So that an export does not fit into the buffers of a connection. */
const filler = 'x'.repeat(800)

let env: TestEnv
let items: StoredItem[]

/** 6,000 items, a minute apart, and one connection to Postgres. */
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'otp'], {
    env: { gateway: { DATABASE_POOL_SIZE: '1' } },
  })
  items = Array.from({ length: count }, (_, n) =>
    itemOf(env, {
      status: n % 10 === 0 ? 'failed' : 'delivered',
      channel: n % 3 === 0 ? 'email' : 'sms',
      failure_reason: n % 10 === 0 ? '=cmd|"calc"!A1, said the carrier\nand hung up' : filler,
      mode: n % 100 === 0 ? 'test' : 'live',
      created_at: new Date(start + n * 60_000).toISOString(),
    }),
  )
  await storeItems(env, items)
})
afterAll(() => env?.stop())

const exported = (query: string) => env.api('GET', `/api/v1/activity/export?${query}`, { token: env.operatorToken })

test('an export has every item that matches once, newest first, a JSON object a line', async () => {
  const answer = await exported('format=ndjson&channel=sms&from=2026-06-02T00:00:00Z')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="activity.ndjson"')
  const rows = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const expected = items
    .filter(({ channel, created_at }) => channel === 'sms' && created_at >= '2026-06-02')
    .toReversed()
    .map(({ id }) => id)
  expect(rows.map(({ transaction_id }) => transaction_id)).toEqual(expected)
  const { body } = await activity(env, { channel: 'sms', limit: '1' })
  expect(rows[0]).toEqual({
    ...body.items[0],
    provider_id: null,
    provider_name: null,
    credits: 0,
    segments: null,
    cost: null,
    currency: null,
  })
})

test('an export is compressed for callers that accept it, and the same as without', async () => {
  const query = 'format=ndjson&channel=sms&to=2026-06-02T00:00:00Z'
  const ask = (encoding: string) =>
    fetch(`${env.stack.url('gateway')}/api/v1/activity/export?${query}`, {
      headers: { authorization: `Bearer ${env.operatorToken}`, 'accept-encoding': encoding },
    })
  const [small, plain] = [await ask('gzip'), await ask('identity')]
  expect([small.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
  expect(small.headers.get('vary')).toBe('Accept-Encoding')
  expect(await small.text()).toBe(await plain.text())
})

test('CSV has a header line and quoted cells, and none that a spreadsheet runs', async () => {
  const answer = await exported('status=failed&mode=live&to=2026-06-01T01:00:00Z')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
  const [head, ...lines] = answer.text.split('\r\n')
  expect(head).toBe(
    'transaction_id,created_at,application_name,event_key,mode,channel,recipient_masked,recipient_tag,status,failure_reason,' +
      'retryable,retry_count,locale,broadcast_id,digest_id,provider_id,provider_name,credits,cost,currency,segments',
  )
  expect(lines).toHaveLength(6)
  expect(lines[0]).toBe(
    `${items[50]!.id},2026-06-01T00:50:00.000Z,Demo Shop,,live,sms,'+12******0100,,failed,"'=cmd|""calc""!A1, said the carrier\nand hung up",false,0,,,,,,0,,,`,
  )
})

test('an export of nothing is a header line, or empty', async () => {
  expect((await exported('channel=webhook')).text.split('\r\n')).toHaveLength(2)
  expect(await exported('channel=webhook&format=ndjson')).toMatchObject({ status: 200, text: '' })
})

test('an export is refused like a list', async () => {
  for (const [query, path] of [
    ['format=xml', 'format'],
    ['limit=10', 'limit'],
    ['page=1', 'page'],
    ['from=2026-11-22', 'from'],
  ] as const) {
    const answer = await exported(query)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(path)
  }
  const withKey = await env.api('GET', '/api/v1/activity/export')
  expectProblem(withKey, 403, 'permission_denied')
})

/** An export whose answer nobody reads yet. */
async function openExport(): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { authorization: `Bearer ${env.operatorToken}` }
  const request = httpRequest(`${env.stack.url('gateway')}/api/v1/activity/export?format=ndjson`, {
    headers,
    agent: false,
  })
  request.on('response', (response) => {
    response.pause()
    response.on('error', () => {})
    resolve(response)
  })
  request.on('error', reject)
  request.end()
  return promise
}

const openExports = async () => {
  const text = await (await fetch(env.stack.metricsUrls.gateway!)).text()
  return Number(/^gateway_activity_exports_open(?:\{.*\})? (\d+)/m.exec(text)?.[1])
}

test('slow readers of exports hold no connection: four of them and one pool of one leave the list as it was', async () => {
  const readers = await Promise.all(Array.from({ length: 4 }, () => openExport()))
  for (let n = 0; n < 5; n++) expect((await activity(env, { status: 'failed' })).status).toBe(200)
  expect(await openExports()).toBe(4)
  // A reader that goes on reads to the end.
  let text = ''
  for await (const chunk of readers.pop()!.setEncoding('utf8')) text += chunk
  expect(text.trimEnd().split('\n')).toHaveLength(count)
  // Readers that leave end theirs.
  for (const reader of readers) reader.destroy()
  await eventually(async () => expect(await openExports()).toBe(0))
})

test('a tenant that reads none of its exports has at most four, and the export of a neighbour is sent at once', async () => {
  const readers = await Promise.all(Array.from({ length: 20 }, () => openExport()))
  const statuses = readers.map(({ statusCode }) => statusCode)
  expect([statuses.filter((status) => status === 200).length, new Set(statuses)]).toEqual([4, new Set([200, 429])])
  for (const at of ['', 'format=ndjson&status=failed']) {
    const refused = await exported(at)
    expectProblem(refused, 429, 'export_limit_reached')
    expect(refused.body.detail).toContain('at most 4 exports')
    expect(refused.headers.get('retry-after')).toBe('5')
  }
  const permissions = ['activity:read', 'audit:read']
  const token = operatorToken(env, { tenant_id: await addEmptyTenant(env), permissions })
  for (const path of ['activity/export', 'audit-log/export']) {
    expect((await env.api('GET', `/api/v1/${path}`, { token })).status).toBe(200)
    const own = await env.api('GET', `/api/v1/${path}`, { token: operatorToken(env, { permissions }) })
    expectProblem(own, 429, 'export_limit_reached')
  }
  for (const reader of readers) reader.destroy()
  await eventually(async () => expect((await exported('status=failed')).status).toBe(200))
})

const summary = (query: string) => env.api('GET', `/api/v1/activity/summary?${query}`, { token: env.operatorToken })

interface Bucket {
  starts_at: string
  counts: { channel: string; status: string; count: number }[]
}

describe('a summary', () => {
  test('counts each hour by channel and state, and has the empty ones', async () => {
    const { status, body } = await summary('from=2026-05-31T23:30:00Z&to=2026-06-01T01:30:00Z')
    expect([status, body.interval, body.from, body.to]).toEqual([
      200,
      'hour',
      '2026-05-31T23:00:00.000Z',
      '2026-06-01T02:00:00.000Z',
    ])
    expect(body.buckets.map(({ starts_at }: Bucket) => starts_at.slice(11, 13))).toEqual(['23', '00', '01'])
    expect(body.buckets[0].counts).toEqual([])
    expect(body.buckets[1].counts).toEqual([
      { channel: 'email', status: 'delivered', count: 18 },
      { channel: 'email', status: 'failed', count: 2 },
      { channel: 'sms', status: 'delivered', count: 36 },
      { channel: 'sms', status: 'failed', count: 4 },
    ])
  })

  test.each([
    ['', {}],
    ['&channel=sms', { channel: 'sms' }],
    ['&status=failed&mode=test', { status: 'failed', mode: 'test' }],
  ])('of days adds up to what matches%s', async (query, wanted) => {
    const { body } = await summary(`interval=day&from=2026-06-01T00:00:00Z&to=2026-07-01T00:00:00Z${query}`)
    const sum = body.buckets
      .flatMap(({ counts }: Bucket) => counts)
      .reduce((all: number, { count }: { count: number }) => all + count, 0)
    const matching = items.filter((item) =>
      Object.entries(wanted).every(([name, value]) => item[name as keyof StoredItem] === value),
    )
    expect([body.buckets.length, sum]).toEqual([30, matching.length])
    const own = await summary(
      `interval=day&from=2026-06-01T00:00:00Z&to=2026-07-01T00:00:00Z${query}&application_id=${env.applicationId}`,
    )
    expect(own.body.buckets).toEqual(body.buckets)
  })

  test('without a range is of the last 24 hours, or 30 days', async () => {
    expect((await summary('')).body.buckets).toHaveLength(24)
    expect((await summary('interval=day')).body.buckets).toHaveLength(30)
  })

  test.each([
    ['interval=minute', 'interval'],
    ['from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z', 'from'],
    ['interval=day&from=1970-01-01T00:00:00Z', 'from'],
    ['from=2026-06-02T00:00:00Z&to=2026-06-01T00:00:00Z', 'to'],
    ['from=9000-01-01T00:00:00Z', 'from'],
    ['recipient=x', 'recipient'],
  ])('is refused for %s', async (query, path) => {
    const answer = await summary(query)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(path)
  })
})

test('lists tell ten addresses of one domain apart, and exports have event, provider, language and cost', async () => {
  const initial = freshAddress()
  const addresses = Array.from({ length: 10 }, (_, n) => initial.replace('@', `${n}@`))
  const sent: string[] = []
  for (const address of addresses) {
    const { status, body } = await post(
      env,
      emailTo(address, {
        event_key: 'invoice.ready',
        body: undefined,
        subject: undefined,
        data: { name: 'Ada', order: 'A-1' },
      }),
    )
    expect([status, body.detail]).toEqual([202, undefined])
    sent.push(body.notification_id)
  }
  const phone = freshPhone()
  const text = await post(env, smsTo(phone, { locale: 'de' }))
  await untilState(env, text.body.notification_id, { delivery_status: 'delivered' })
  const listed = await eventually(async () => {
    const { body } = await activity(env, { channel: 'email', event_key: 'invoice.ready', limit: '10' })
    expect(body.items.map((one: { transaction_id: string }) => one.transaction_id).sort()).toEqual(sent.sort())
    return body.items as { recipient_masked: string; recipient_tag: string; event_key: string }[]
  })
  expect(new Set(listed.map(({ recipient_masked }) => recipient_masked)).size).toBe(1)
  expect(new Set(listed.map(({ recipient_tag }) => recipient_tag)).size).toBe(10)
  for (const address of addresses) expect(JSON.stringify(listed)).not.toContain(address.split('@')[0])
  await eventually(async () => {
    const [line] = (await exported(`format=ndjson&recipient=${encodeURIComponent(phone)}`)).text.split('\n')
    expect(JSON.parse(line!)).toMatchObject({
      ...{ transaction_id: text.body.notification_id, event_key: null, locale: 'de', credits: 1 },
      ...{ provider_id: expect.stringMatching(/^prov_/), provider_name: expect.any(String) },
    })
  })
})

test('an export has the cost of what carriers have taken, by the price list of the tenant', async () => {
  const asOperator = { token: env.operatorToken }
  const prices = [
    { channel: 'email', price: '0.05' },
    { channel: 'sms', price: '0.08' },
  ]
  const put = (all: object[]) =>
    env.api('PUT', '/api/v1/usage/prices', { ...asOperator, body: { currency: 'EUR', prices: all } })
  expect((await put(prices)).status).toBe(200)
  const costsOf = async (query: string) => {
    const { text } = await exported(`format=ndjson&to=2026-06-01T03:00:00Z&${query}`)
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    return [...new Set(rows.map(({ cost, currency }) => `${cost} ${currency}`))]
  }
  expect(await costsOf('channel=email&status=delivered&mode=live')).toEqual(['0.05 EUR'])
  // Dispatch does not know these SMS, so neither country nor segments are known.
  for (const none of ['channel=email&status=failed', 'channel=sms&mode=test', 'channel=sms'])
    expect(await costsOf(none)).toEqual(['null null'])
  expect((await put([])).status).toBe(200)
})

test('an SMS of several segments to a country with a price of its own is counted and costed by both', async () => {
  const asOperator = { token: env.operatorToken }
  const prices = [
    { channel: 'sms', price: '0.05' },
    { channel: 'sms', country_prefix: '+49', price: '0.0801' },
  ]
  const put = (all: object[]) =>
    env.api('PUT', '/api/v1/usage/prices', { ...asOperator, body: { currency: 'EUR', prices: all } })
  expect((await put(prices)).status).toBe(200)
  const to = `+4915${freshPhone().slice(-9)}`
  const { body } = await post(env, smsTo(to, { body: 'ж'.repeat(150) }))
  await untilState(env, body.notification_id, { delivery_status: 'delivered' })
  await eventually(async () => {
    const [line] = (await exported(`format=ndjson&recipient=${encodeURIComponent(to)}`)).text.split('\n')
    expect(JSON.parse(line!)).toMatchObject({ segments: 3, credits: 1, cost: '0.2403', currency: 'EUR' })
  })
  await eventually(async () => {
    const { rows } = await env
      .sql('gateway')
      .query(`select messages::int, segments::int from usage_days where country_prefix = '+49' and channel = 'sms'`)
    expect(rows).toEqual([{ messages: 1, segments: 3 }])
  })
  // As 30 days later: the channel's own price would be another sum than that of the page.
  await env
    .sql('dispatch')
    .query('with gone as (delete from attempts where notification_id = $1) delete from notifications where id = $1', [
      body.notification_id,
    ])
  const [line] = (await exported(`format=ndjson&recipient=${encodeURIComponent(to)}`)).text.split('\n')
  expect(JSON.parse(line!)).toMatchObject({ segments: null, credits: 1, cost: null, currency: null })
  expect((await put([])).status).toBe(200)
})

test('a code costs what its messages cost: each one that a carrier has taken, by country and segments', async () => {
  const asOperator = { token: env.operatorToken }
  const prices = [
    { channel: 'sms', price: '0.05' },
    { channel: 'sms', country_prefix: '+43', price: '0.0702' },
  ]
  const put = (all: object[]) =>
    env.api('PUT', '/api/v1/usage/prices', { ...asOperator, body: { currency: 'EUR', prices: all } })
  expect((await put(prices)).status).toBe(200)
  const exportedOf = async (recipient: string) => {
    const { text } = await exported(`format=ndjson&recipient=${encodeURIComponent(recipient)}`)
    return JSON.parse(text.split('\n')[0]!)
  }
  const [taken, refused] = [`+43660${freshPhone().slice(-7)}`, `+43660${freshPhone('0003').slice(-7)}`]
  for (const recipient of [taken, refused])
    expect((await postUntilTaken(env, '/api/v1/otp/send', { channel: 'sms', recipient })).status).toBe(200)
  const first = await eventually(async () => {
    const item = await exportedOf(taken)
    expect(item).toMatchObject({ segments: 1, credits: 1, cost: '0.0702', currency: 'EUR' })
    return item
  })
  expect(first).toMatchObject({ provider_id: expect.stringMatching(/^prov_/), provider_name: expect.any(String) })
  expect((await env.api('POST', `/api/v1/otp/${first.transaction_id}/resend`)).status).toBe(200)
  await eventually(async () =>
    expect(await exportedOf(taken)).toMatchObject({ segments: 2, credits: 2, cost: '0.1404', currency: 'EUR' }),
  )
  await eventually(async () => expect(await exportedOf(refused)).toMatchObject({ status: 'failed', cost: null }))
  // As after a month: the number of its messages is no longer known.
  await env.sql('otp').query('delete from messages where transaction_id = $1', [first.transaction_id])
  expect(await exportedOf(taken)).toMatchObject({ segments: null, credits: null, cost: null, currency: null })
  expect((await put([])).status).toBe(200)
})

test('a message that was charged costs the same in the export as on the page, also while or after it is retried', async () => {
  const asOperator = { token: env.operatorToken }
  const body = { currency: 'EUR', prices: [{ channel: 'email', price: '0.05' }] }
  expect((await env.api('PUT', '/api/v1/usage/prices', { ...asOperator, body })).status).toBe(200)
  const [retried, cancelled] = (['queued', 'cancelled'] as const).map((status) =>
    itemOf(env, { channel: 'email', status, created_at: '2026-08-10T12:00:00.000Z' }),
  )
  await storeItems(env, [retried!, cancelled!])
  const stored = env.sql('gateway')
  await stored.query('update activity set credits = 1 where id = any($1)', [[retried!.id, cancelled!.id]])
  await stored.query(
    `insert into usage_days (tenant_id, day, application_id, channel, category, country_prefix, messages, segments, credits)
     values ($1, '2026-08-10', $2, 'email', '', '', 2, 0, 2)`,
    [env.tenantId, env.applicationId],
  )
  const page = await env.api('GET', '/api/v1/usage/messages?from=2026-08-10&to=2026-08-10', asOperator)
  expect(page.body.totals).toMatchObject([{ channel: 'email', charged: 2, cost: '0.10' }])
  const { text } = await exported('format=ndjson&from=2026-08-10T00:00:00Z&to=2026-08-11T00:00:00Z')
  const costs = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).cost)
  expect(costs).toEqual(['0.05', '0.05'])
  await env.api('PUT', '/api/v1/usage/prices', { ...asOperator, body: { currency: 'EUR', prices: [] } })
})
