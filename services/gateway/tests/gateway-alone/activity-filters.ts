import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Channel, newId } from '@notify/contracts'
import { createBlindIndex } from '@notify/privacy'
import { activity, itemOf, type StoredItem, storeItems } from '@notify/test-kit/activity'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { addApplication, operatorToken } from '@notify/test-kit/callers'
import { env } from './stack.ts'

const start = Date.UTC(2026, 9, 1, 10, 30)
const minuteMs = 60_000
const recipients = ['+15550000001', 'ada@example.com', 'user 7 ünï', 'https://shop.example/hook?a=1&b=2']
const channels: Channel[] = ['sms', 'email', 'in_app', 'webhook']
const statuses = ['delivered', 'failed', 'undelivered', 'sent', 'queued']

/** One of hundreds of requests: on a busy machine some are first answered 503. */
const found = (query: Record<string, string>, token = env.operatorToken) =>
  untilAvailable(() => activity(env, query, token))

let items: (StoredItem & { recipient: string })[]
let strangersToken: string

/** 400 items of two applications over 20 days, two by two at the same moment; those of another tenant are none of ours. */
beforeAll(async () => {
  const indexOf = createBlindIndex(Buffer.from(env.stack.state.blind_index_key, 'base64'))
  const { applicationId } = await addApplication(env)
  const tenantId = newId('ten')
  await env.admin.query(`insert into gateway.tenants (id, name) values ($1, 'Other')`, [tenantId])
  const stranger = await addApplication(env, tenantId, 'Other Shop')
  strangersToken = operatorToken(env, { tenant_id: stranger.tenantId })
  const pick = <T>(list: readonly T[], seed: number) => list[seed % list.length]!
  items = Array.from({ length: 400 }, (_, n) => {
    const recipient = pick(recipients, n * 7)
    const status = pick(statuses, n * 13 + (n >> 3))
    return {
      ...itemOf(env, {
        application_id: n % 3 === 0 ? applicationId : env.applicationId,
        mode: n % 11 === 0 ? 'test' : 'live',
        channel: pick(channels, n * 7),
        status,
        event_key: n % 4 === 0 ? null : pick(['order.shipped', 'invoice.ready'], n),
        recipient_index: indexOf(env.tenantId, recipient),
        retryable: status === 'failed' && n % 2 === 0,
        locale: n % 5 === 0 ? 'pt-BR' : null,
        created_at: new Date(start + (n >> 1) * 144 * minuteMs).toISOString(),
      }),
      recipient,
    }
  })
  await storeItems(env, items)
  const theirs = { tenant_id: stranger.tenantId, application_id: stranger.applicationId }
  const index = (recipient: string) => indexOf(stranger.tenantId, recipient)
  await storeItems(env, [itemOf(env, { ...theirs, recipient_index: index(recipients[0]!), status: 'failed' })])
})

type Query = Record<string, string>

/** What a filter means. */
function matches(item: (typeof items)[number], { from, to, recipient, ...columns }: Query): boolean {
  return (
    Object.entries(columns).every(([name, value]) => item[name as keyof StoredItem] === value) &&
    (!recipient || item.recipient === recipient) &&
    (!from || new Date(item.created_at) >= new Date(from)) &&
    (!to || new Date(item.created_at) < new Date(to))
  )
}

const newestFirst = (a: StoredItem, b: StoredItem) =>
  a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1
const expectedOf = (query: Query) =>
  items
    .filter((item) => matches(item, query))
    .sort(newestFirst)
    .map(({ id }) => id)
const idsOf = (found: { transaction_id: string }[]) => found.map(({ transaction_id }) => transaction_id)

const parts: Query[] = [
  { status: 'failed' },
  { channel: 'email' },
  { mode: 'test' },
  { event_key: 'order.shipped' },
  { locale: 'pt-BR' },
  { recipient: recipients[1]! },
  { from: '2026-10-03T09:17:00Z' },
  { to: '2026-10-15T11:30:00+02:00' },
]
/** Each filter, and each two of them. */
const queries: Query[] = [
  {},
  ...parts,
  ...parts.flatMap((one, at) => parts.slice(at + 1).map((other) => ({ ...one, ...other }))),
  ...recipients.map((recipient) => ({ recipient })),
  { ...parts[0], ...parts[1], ...parts[2], ...parts[5], ...parts[6] },
  Object.assign({}, ...parts),
]

test.each(queries.map((query) => [JSON.stringify(query), query] as const))(
  'cursors and pages give exactly what matches, in order, and count it: %s',
  async (_name, query) => {
    for (const filter of [query, { ...query, application_id: env.applicationId }]) {
      const expected = expectedOf(filter)
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body } = await found({ ...filter, limit: '100', ...(cursor ? { cursor } : {}) })
        expect([status, body.total_count, body.total_count_capped]).toEqual([200, expected.length, false])
        seen.push(...idsOf(body.items))
        cursor = body.next_cursor
      }
      expect(seen).toEqual(expected)
      const third = await found({ ...filter, limit: '7', page: '3' })
      expect(idsOf(third.body.items)).toEqual(expected.slice(14, 21))
    }
  },
)

test('a number finds its items too when its plus sign was not encoded', async () => {
  const { body } = await env.api('GET', `/api/v1/activity?recipient=+15550000001`, { token: env.operatorToken })
  expect(body.total_count).toBe(expectedOf({ recipient: '+15550000001' }).length)
})

test('spellings of an address find the same items', async () => {
  const { body } = await activity(env, { recipient: 'ADA@Example.com' })
  expect(body.total_count).toBe(expectedOf({ recipient: 'ada@example.com' }).length)
})

test('nobody finds the items of another tenant by any filter', async () => {
  for (const query of queries) {
    const { body } = await found({ ...query, limit: '100' }, strangersToken)
    expect(idsOf(body.items).filter((id) => items.some((item) => item.id === id))).toEqual([])
  }
  const theirs = await activity(env, { application_id: env.applicationId }, strangersToken)
  expect([theirs.status, theirs.body.total_count, theirs.body.items]).toEqual([200, 0, []])
})

test('a cursor continues its own filters alone, with any limit', async () => {
  const { next_cursor: cursor } = (await activity(env, { status: 'failed', limit: '5' })).body
  for (const other of [{}, { status: 'sent' }, { status: 'failed', mode: 'live' }] as Query[]) {
    const answer = await activity(env, { ...other, cursor })
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe('cursor')
  }
  const following = await activity(env, { cursor, status: 'failed', limit: '3' })
  expect(idsOf(following.body.items)).toEqual(expectedOf({ status: 'failed' }).slice(5, 8))
})

test('without a counter items are counted up to 10,000, and the answer says so', async () => {
  const many = (count: number, fields: Partial<StoredItem>) =>
    storeItems(
      env,
      Array.from({ length: count }, () =>
        itemOf(env, { created_at: '2026-08-01T12:00:30.000Z', recipient_index: 'busy', event_key: 'busy', ...fields }),
      ),
    )
  await many(9_999, {})
  const minute = { from: '2026-08-01T12:00:00Z', to: '2026-08-01T12:01:00Z' }
  const count = async (query: Query) => {
    const { total_count, total_count_capped } = (await activity(env, { ...query, limit: '1' })).body
    return [total_count, total_count_capped]
  }
  expect(await count(minute)).toEqual([9_999, false])
  await many(1, {})
  expect(await count(minute)).toEqual([10_000, false])
  await many(1, {})
  expect(await count(minute)).toEqual([10_000, true])
  expect(await count({ ...minute, event_key: 'busy' })).toEqual([10_000, true])
  expect(await count({ event_key: 'busy' })).toEqual([10_001, false])
  expect(await count({ from: '2026-08-01T00:00:00Z', to: '2026-08-02T00:00:00Z' })).toEqual([10_001, false])
})

describe('a filter that cannot be answered is 422 naming the parameter', () => {
  test.each([
    ['from=2026-11-21T09:30:00', 'from'],
    ['from=2026-11-21', 'from'],
    ['from=yesterday', 'from'],
    ['from=', 'from'],
    ['from=0000-01-01T00:00:00Z', 'from'],
    ['from=2026-02-30T00:00:00Z', 'from'],
    ['to=10000-01-01T00:00:00Z', 'to'],
    ['to=9999-12-31T23:59:59-23:59', 'to'],
    ['from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z', 'to'],
    ['from=2026-11-22T00:00:00Z&to=2026-11-22T01:00:00%2B01:00', 'to'],
    ['application_id=app_1', 'application_id'],
    ['application_id=%00', 'application_id'],
    ['event_key=%F0%9F%98%80', 'event_key'],
    [`event_key=${'x'.repeat(129)}`, 'event_key'],
    ['mode=dry', 'mode'],
    ['recipient=', 'recipient'],
    [`recipient=${'9'.repeat(2049)}`, 'recipient'],
    ['recipient=a&recipient=b', 'recipient'],
    ['recipient=%00', 'recipient'],
    ['recipients=a', 'recipients'],
    ['limit=1e9', 'limit'],
    ['limit=abc', 'limit'],
  ])('%s', async (query, parameter) => {
    const answer = await env.api('GET', `/api/v1/activity?${query}`, { token: env.operatorToken })
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(parameter)
  })

  test.each([
    'recipient=%F0%9F%98%80',
    `recipient=${'%C3%BC'.repeat(20)}${'x'.repeat(2028)}`,
    `recipient=%27%3B%20drop%20table`,
    'from=1970-01-01T00:00:00Z&to=9999-12-31T00:00:00Z',
    'from=2026-11-21T09:30:00.123456789Z',
  ])('a filter that finds nothing, or everything, is answered: %s', async (query) => {
    const answer = await env.api('GET', `/api/v1/activity?${query}&limit=1`, { token: env.operatorToken })
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('total_count')])
  })
})

describe.each(['/usage', '/usage/locales', '/usage/messages'])(
  'a span of days that cannot be answered is 422: %s',
  (path) => {
    test.each([
      ['from=0000-01-01', 'from'],
      ['from=1969-12-31', 'from'],
      ['to=0000-01-01', 'to'],
      ['from=2026-01-02&to=2026-01-01', 'to'],
      ['from=2025-01-01&to=2026-01-02', 'from'],
      ['from=2020-01-01', 'from'],
      ['from=9999-01-01', 'from'],
    ])('%s', async (query, parameter) => {
      const answer = await env.api('GET', `/api/v1${path}?${query}`, { token: env.operatorToken })
      expectProblem(answer, 422, 'validation_failed')
      expect(answer.body.errors[0].path).toBe(parameter)
    })

    test('the longest span, and the last days, are answered', async () => {
      for (const query of ['from=2025-01-01&to=2026-01-01', 'from=9999-12-01&to=9999-12-31', 'to=1970-01-01']) {
        const { status } = await env.api('GET', `/api/v1${path}?${query}`, { token: env.operatorToken })
        expect(status).toBe(200)
      }
    })
  },
)
