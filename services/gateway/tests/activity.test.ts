import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { activity } from '@notify/test-kit/activity'
import { expectProblem, post } from '@notify/test-kit/api'
import { addApplication, addEmptyTenant, addTenant, operatorToken, otherAccountEnv } from '@notify/test-kit/callers'
import { freshPhone, send, sendUntilTaken, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
let stranger: Awaited<ReturnType<typeof addTenant>>
let strangersToken: string
let backOffice: string
const ids: string[] = []
const phones: string[] = []

/** 25 items of two applications: 5 undelivered, 3 refused, 17 delivered; and 2 of another tenant. */
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], { env: { 'carrier-sandbox': otherAccountEnv } })
  stranger = await addTenant(env)
  strangersToken = operatorToken(env, { tenant_id: stranger.tenantId })
  const other = await addApplication(env)
  for (let i = 0; i < 25; i++) {
    const phone = freshPhone(i < 5 ? '0002' : i < 8 ? '0003' : '0100')
    phones.push(phone)
    if (i < 24) ids.push(await sendUntilTaken(env, phone))
    else {
      backOffice = (await post(env, smsTo(phone), { key: other.apiKey })).body.notification_id
      ids.push(backOffice)
    }
  }
  for (let i = 0; i < 2; i++) expect((await post(env, smsTo(freshPhone()), { key: stranger.apiKey })).status).toBe(202)
  await eventually(async () => {
    const counts = await Promise.all(['delivered', 'undelivered', 'failed'].map((status) => count({ status })))
    expect(counts).toEqual([17, 5, 3])
  })
})
afterAll(() => env?.stop())

const count = async (query: Record<string, string> = {}) => (await activity(env, query)).body.total_count
const idsOf = (items: { transaction_id: string }[]) => items.map(({ transaction_id }) => transaction_id)

test('an item has the documented fields, masked', async () => {
  const { status, body } = await activity(env)
  expect([status, body.total_count, body.page, body.items.length]).toEqual([200, 25, 1, 20])
  const [newest] = body.items
  expect(newest).toEqual({
    transaction_id: backOffice,
    application_name: 'Back Office',
    channel: 'sms',
    recipient_masked: `+12******${phones[24]?.slice(-4)}`,
    status: 'delivered',
    failure_reason: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    retryable: false,
    retry_count: 0,
    locale: null,
    requested_locale: null,
    broadcast_id: null,
    digest_id: null,
    event_key: null,
    recipient_tag: expect.stringMatching(/^[a-z0-9]{4}$/),
    mode: 'live',
  })
  for (const phone of phones) expect(JSON.stringify(body)).not.toContain(phone.slice(1))
})

test('the list is newest first, and pages cover it once', async () => {
  const pages = await Promise.all([1, 2, 3, 4].map((page) => activity(env, { page: String(page), limit: '10' })))
  expect(pages.map(({ body }) => [body.page, body.total_count, body.items.length])).toEqual([
    [1, 25, 10],
    [2, 25, 10],
    [3, 25, 5],
    [4, 25, 0],
  ])
  expect(pages.flatMap(({ body }) => idsOf(body.items))).toEqual([...ids].reverse())
})

test('cursors cover it once, also while new items come in', async () => {
  const seen: string[] = []
  let cursor: string | null = ''
  for (let rounds = 0; cursor !== null && rounds < 10; rounds++) {
    const { status, body } = await activity(env, { limit: '7', ...(cursor ? { cursor } : {}) })
    expect(status).toBe(200)
    seen.push(...idsOf(body.items))
    cursor = body.next_cursor
    if (rounds === 0) await send(env, freshPhone('0008'))
  }
  expect(seen).toEqual([...ids].reverse())
  await eventually(async () => expect(await count({ status: 'sent' })).toBe(1))
})

test('a page ends at 10,000 rows and names cursor, which goes on at any depth', async () => {
  for (const query of [{ page: '500' }, { page: '100', limit: '100' }, { page: '10000', limit: '1' }]) {
    expect((await activity(env, query)).status).toBe(200)
  }
  for (const page of ['501', '1000001']) {
    const beyond = await activity(env, { page })
    expectProblem(beyond, 422, 'validation_failed')
    expect(beyond.body.errors).toEqual([{ path: 'page', message: expect.stringContaining('cursor') }])
  }
  const { body } = await activity(env, { limit: '5' })
  const further = await activity(env, { limit: '5', cursor: body.next_cursor, page: '1000000' })
  expect([further.status, further.body.items.length]).toEqual([200, 5])
})

test('filters narrow the list and its exact count alike', async () => {
  for (const [query, total] of [
    [{ status: 'undelivered' }, 5],
    [{ status: 'failed', channel: 'sms' }, 3],
    [{ channel: 'sms' }, 26],
    [{ channel: 'email' }, 0],
    [{ status: 'queued' }, 0],
  ] as [Record<string, string>, number][]) {
    const { body } = await activity(env, { ...query, limit: '100' })
    expect([query, body.total_count, body.items.length]).toEqual([query, total, total])
    for (const item of body.items) expect(item).toMatchObject(query)
  }
  const page = await activity(env, { status: 'undelivered', limit: '2', page: '3' })
  expect([page.body.total_count, page.body.items.length]).toEqual([5, 1])
})

test('another tenant sees its own items alone', async () => {
  const theirs = await eventually(async () => {
    const answer = await activity(env, {}, strangersToken)
    expect(answer.body.total_count).toBe(2)
    return answer
  })
  expect(
    new Set(theirs.body.items.map(({ application_name }: { application_name: string }) => application_name)),
  ).toEqual(new Set(['Other Shop']))
  // Another tenant cannot use our cursor, and finds none of our ids.
  const { body } = await activity(env, { limit: '1' })
  const withOurCursor = await activity(env, { cursor: body.next_cursor }, strangersToken)
  expectProblem(withOurCursor, 422, 'validation_failed')
  expect(withOurCursor.body.errors[0].path).toBe('cursor')
  const nobody = operatorToken(env, { tenant_id: await addEmptyTenant(env) })
  expect((await activity(env, {}, nobody)).body).toEqual({
    total_count: 0,
    total_count_capped: false,
    page: 1,
    items: [],
    next_cursor: null,
  })
  expectProblem(await env.api('GET', `/api/v1/notifications/${ids[0]}`, { key: stranger.apiKey }), 404, 'not_found')
})

describe('a query that cannot be answered is 422 naming the parameter', () => {
  const cursor = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`
  const id = 'notif_01jd3x8qk5w9t2m4v6b8n0p2r4'
  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['limit=99999999999', 'limit'],
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['page=1000001', 'page'],
    ['page=501', 'page'],
    ['page=101&limit=100', 'page'],
    ['page=10001&limit=1', 'page'],
    ['page=1000000', 'page'],
    ['status=lost', 'status'],
    ['channel=pigeon', 'channel'],
    ['channel=%00', 'channel'],
    ['colour=red', 'colour'],
    ['__proto__=1', '__proto__'],
    ['limit[a]=1', 'limit[a]'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=', 'cursor'],
    [cursor(`2026-01-01T00:00:00.000Z|${id}`), 'cursor'],
  ])('%s', async (query, parameter) => {
    const answer = await env.api('GET', `/api/v1/activity?${query}`, { token: env.operatorToken })
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(parameter)
  })
})
