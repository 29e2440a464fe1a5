import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { type ClientOptions, createClient, NoAnswerError, Problem } from '../src/index.ts'
import { cut, hang, json, problem, startStubService } from './stub-service.ts'

let service: Awaited<ReturnType<typeof startStubService>>
beforeAll(async () => {
  service = await startStubService()
})
afterAll(() => service.stop())

const client = (options: Partial<ClientOptions> = {}) =>
  createClient({ url: service.url, token: 'sk_live_1', baseDelayMs: 1, ...options })
const request = { channel: 'sms', recipient: { phone: '+14155550100' }, body: 'Hi' } as const
const send = (options?: Partial<ClientOptions>, init: object = {}) =>
  client(options).post('/api/v1/notifications', { body: request, ...init })
const accepted = json(202, { status: 'accepted', notification_id: 'notif_1' })
const busy = problem(503, 'service_unavailable')

test('a call carries the token and the body, and returns the body of the answer', async () => {
  service.willAnswer(accepted)
  expect(await send({ token: async () => 'sk_live_2' })).toMatchObject({ notification_id: 'notif_1' })
  expect(service.got).toMatchObject([
    { method: 'POST', url: '/api/v1/notifications', authorization: 'Bearer sk_live_2' },
  ])
  expect(JSON.parse(service.got[0]!.body)).toEqual(request)
})

test('parameters in paths and queries are encoded', async () => {
  service.willAnswer(json(200, {}))
  await client().get('/api/v1/whatsapp/opt-ins/{phone_e164}', { params: { path: { phone_e164: '+1/?' } } })
  await client().get('/api/v1/activity', { params: { query: { limit: 5, channel: 'sms' } } })
  expect(service.got.map(({ url }) => url)).toEqual([
    '/api/v1/whatsapp/opt-ins/%2B1%2F%3F',
    '/api/v1/activity?limit=5&channel=sms',
  ])
})

test('an answer without a body is undefined', async () => {
  service.willAnswer((response) => response.writeHead(204).end())
  const path = { subscription_id: 'whsub_1' }
  expect(await client().delete('/api/v1/webhook-subscriptions/{subscription_id}', { params: { path } })).toBeUndefined()
})

test.each([
  ['the connection breaks', cut],
  ['the service is away', busy],
  ['the service fails', problem(500, 'internal_error')],
  ['a proxy answers', json(502, {}, { 'content-type': 'text/html' })],
  ['the first request is not finished yet', problem(409, 'idempotency_in_progress')],
  ['the limit is reached', problem(429, 'rate_limited', { 'retry-after': '0' })],
])('a POST is repeated with the same key and body when %s', async (_what, failure) => {
  service.willAnswer(failure, failure, accepted)
  await send()
  expect(service.got).toHaveLength(3)
  expect(new Set(service.got.map(({ key, body }) => `${key} ${body}`)).size).toBe(1)
  expect(service.got[0]!.key).toMatch(/^[0-9a-f-]{36}$/)
})

test('a tenant that moved is found at the address that the service names, and every later call goes there', async () => {
  const moved = await startStubService()
  try {
    moved.willAnswer(accepted)
    const path = '/api/v1/notifications'
    service.willAnswer(problem(421, 'wrong_cell', { location: `${moved.url}/cells/b${path}` }))
    const one = client()
    for (let i = 0; i < 2; i++) await one.post(path, { body: request })
    // `fetch` itself repeats what gets 421 once, over a new connection (Fetch standard).
    expect(service.got.length).toBeLessThanOrEqual(2)
    expect(moved.got.map(({ url, authorization }) => [url, authorization])).toEqual(
      [1, 2].map(() => [`/cells/b${path}`, 'Bearer sk_live_1']),
    )
    expect(moved.got[0]).toMatchObject({ key: service.got[0]!.key, body: JSON.stringify(request) })
  } finally {
    await moved.stop()
  }
})

test('calls that were sent at the same moment all follow to the new address', async () => {
  const path = '/api/v1/notifications'
  const asked: string[] = []
  const answer = async (sent: Request) => {
    asked.push(new URL(sent.url).host)
    if (sent.url.startsWith('https://b.example')) return Response.json({ notification_id: 'notif_1' }, { status: 202 })
    return Response.json({ code: 'wrong_cell' }, { status: 421, headers: { location: `https://b.example${path}` } })
  }
  const one = client({ url: 'https://a.example', fetch: answer })
  await Promise.all(Array.from({ length: 3 }, () => one.post(path, { body: request })))
  expect(asked).toEqual([...Array(3).fill('a.example'), ...Array(3).fill('b.example')])
})

test.each(['https://A.example', 'https://a.example:443/', 'HTTPS://a.example/base/'])(
  'calls to %s follow too, on every Node that the manifest allows',
  async (url) => {
    // It came with Node 22.
    const parse = jest.spyOn(URL, 'parse').mockImplementation(() => {
      throw new TypeError('URL.parse is not a function')
    })
    try {
      const path = '/api/v1/notifications'
      const answer = async (sent: Request) => {
        const { host } = new URL(sent.url)
        if (host === 'b.example') return Response.json({ notification_id: 'notif_1' }, { status: 202 })
        return Response.json({ code: 'wrong_cell' }, { status: 421, headers: { location: `https://b.example${path}` } })
      }
      expect(await send({ url, fetch: answer })).toMatchObject({ notification_id: 'notif_1' })
    } finally {
      parse.mockRestore()
    }
  },
)

test.each([
  ['no address', {}],
  ['an address without protection', { location: 'http://127.0.0.1:1/api/v1/notifications' }],
  ['something else', { location: 'javascript:/api/v1/notifications' }],
])('a refusal for the wrong cell that names %s is a Problem', async (_what, headers: Record<string, string>) => {
  const asked: string[] = []
  const answer = async (sent: Request) => {
    asked.push(sent.url)
    return Response.json({ code: 'wrong_cell' }, { status: 421, headers })
  }
  const refused = send({ url: 'https://a.example', fetch: answer })
  await expect(refused).rejects.toMatchObject({ code: 'wrong_cell', status: 421 })
  expect(asked).toEqual(['https://a.example/api/v1/notifications'])
})

test("the caller's own key is kept, and two calls have two keys", async () => {
  service.willAnswer(busy, accepted)
  await send({}, { params: { header: { 'Idempotency-Key': 'order-1' } } })
  expect(service.got.map(({ key }) => key)).toEqual(['order-1', 'order-1'])
  await send()
  await send()
  expect(new Set(service.got.map(({ key }) => key)).size).toBe(3)
})

test.each([
  [422, 'validation_failed', {}],
  [401, 'unauthenticated', {}],
  [409, 'idempotency_conflict', {}],
  // Nobody says when this passes: it does not.
  [429, 'otp_attempts_exceeded', {}],
  // Longer than anybody waits.
  [429, 'otp_rate_limited', { 'retry-after': '600' }],
])('%i %s is not repeated', async (status, code, headers) => {
  service.willAnswer(problem(status, code, headers))
  await expect(send()).rejects.toMatchObject({ status, code })
  expect(service.got).toHaveLength(1)
})

test('the wait follows Retry-After', async () => {
  service.willAnswer(problem(429, 'rate_limited', { 'retry-after': '1' }), accepted)
  const started = performance.now()
  await send()
  expect(performance.now() - started).toBeGreaterThanOrEqual(990)
})

test('retries end, with the last refusal', async () => {
  service.willAnswer(busy)
  await expect(send({ maxRetries: 2 })).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(service.got).toHaveLength(3)
})

test('a PATCH is repeated only when it was not processed', async () => {
  const change = () =>
    client().patch('/api/v1/webhook-subscriptions/{subscription_id}', {
      params: { path: { subscription_id: 'whsub_1' } },
      body: { description: 'Changed' },
    })
  for (const failure of [busy, cut]) {
    service.willAnswer(failure)
    await expect(change()).rejects.toThrow()
    expect(service.got).toHaveLength(1)
  }
  service.willAnswer(problem(429, 'rate_limited', { 'retry-after': '0' }), json(200, {}))
  await change()
  expect(service.got).toHaveLength(2)
})

test('a PUT of what it expects to be unchanged is repeated only when it was not processed, any other PUT always', async () => {
  const save = (query?: { expected_version: number }) =>
    client().put('/api/v1/templates/{template_id}', {
      params: { path: { template_id: 'tmpl_1' }, ...(query && { query }) },
      body: { name: 'Welcome', templates: { sms: { body: 'expected_version' } } },
    })
  const expected = { expected_version: 1 }
  const conflict = problem(409, 'edit_conflict')
  for (const failure of [busy, cut]) {
    service.willAnswer(failure, conflict)
    await expect(save(expected)).rejects.not.toMatchObject({ code: 'edit_conflict' })
    expect(service.got).toHaveLength(1)
    service.willAnswer(failure, json(200, {}))
    await save()
    expect(service.got).toHaveLength(2)
  }
  service.willAnswer(problem(429, 'rate_limited', { 'retry-after': '0' }), json(200, {}))
  await save(expected)
  expect(service.got).toHaveLength(2)
})

test('a DELETE whose answer was lost has succeeded when the service finds nothing to delete', async () => {
  const path = { subscription_id: 'whsub_1' }
  const remove = () => client().delete('/api/v1/webhook-subscriptions/{subscription_id}', { params: { path } })
  const gone = problem(404, 'not_found')
  for (const failure of [busy, cut]) {
    service.willAnswer(failure, gone)
    expect(await remove()).toBeUndefined()
    expect(service.got).toHaveLength(2)
  }
  const ofProxy = json(404, '<p>', { 'content-type': 'text/html' })
  const limited = problem(429, 'rate_limited', { 'retry-after': '0' })
  for (const answers of [[gone], [limited, gone], [cut, ofProxy]]) {
    service.willAnswer(...answers)
    await expect(remove()).rejects.toMatchObject({ name: 'Problem', status: 404 })
  }
})

test('a refusal is a Problem with its code, fields and request id', async () => {
  const errors = [{ path: 'recipient.phone', message: 'must be E.164' }]
  service.willAnswer(problem(422, 'invalid_recipient', {}, { errors, attempts_remaining: 3 }))
  const refusal = await send().catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Problem)
  expect(refusal).toMatchObject({
    status: 422,
    code: 'invalid_recipient',
    message: 'Detail',
    type: 'https://docs.example/errors/invalid_recipient',
    request_id: 'req_1',
    attempts_remaining: 3,
    errors,
  })
})

test("a proxy's answer becomes a Problem too", async () => {
  service.willAnswer((response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<p>'))
  await expect(send()).rejects.toMatchObject({ name: 'Problem', status: 404, code: 'unknown', errors: [] })
  service.willAnswer((response) => response.writeHead(404, { 'content-length': '0' }).end())
  await expect(send()).rejects.toMatchObject({ name: 'Problem', status: 404, code: 'unknown' })
})

test.each([
  ['a page', 'text/html', '<p>'],
  ['a truncated body', 'application/json', '{"status":'],
])('a success with %s instead of JSON is a Problem too', async (_what, type, body) => {
  for (const headers of [{}, { 'content-length': String(body.length) }]) {
    service.willAnswer((response) => response.writeHead(200, { 'content-type': type, ...headers }).end(body))
    const refused = send()
    await expect(refused).rejects.toMatchObject({ name: 'Problem', status: 200, code: 'unknown' })
    await expect(refused).rejects.toThrow('The answer is not JSON')
    expect(service.got).toHaveLength(1)
  }
})

test('an attempt that takes too long is repeated, and ends as NoAnswerError', async () => {
  service.willAnswer(hang, accepted)
  await send({ timeoutMs: 2000 })
  expect(service.got).toHaveLength(2)
  const stalls = (response: Parameters<typeof cut>[0]) => {
    response.writeHead(202, { 'content-type': 'application/json' }).write('{')
  }
  for (const never of [hang, stalls]) {
    service.willAnswer(never)
    let attempts = 0
    const counting = (request: Request) => {
      attempts++
      return fetch(request)
    }
    const error = await send({ timeoutMs: 500, maxRetries: 1, fetch: counting }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NoAnswerError)
    expect((error as Error).cause).toMatchObject({ name: 'TimeoutError' })
    // On a busy machine an attempt may end before the service has it.
    expect(attempts).toBe(2)
  }
})

test('an abort ends a request and a wait at once, with its reason', async () => {
  const failures = [hang, problem(503, 'service_unavailable', { 'retry-after': '20' })]
  for (const failure of failures) {
    service.willAnswer(failure)
    const aborting = new AbortController()
    const sending = send({}, { signal: aborting.signal })
    const refused = expect(sending).rejects.toThrow('enough')
    while (service.got.length === 0) await new Promise(setImmediate)
    aborting.abort(new Error('enough'))
    await refused
    expect(service.got).toHaveLength(1)
  }
})

test('a list is read page by page, as far as it is needed', async () => {
  const page = (items: string[], next_cursor: string | null) => json(200, { items, next_cursor })
  const pages = [page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null)]
  service.willAnswer(...pages)
  const all: unknown[] = []
  for await (const item of client().list('/api/v1/domains', { params: { query: { limit: 2 } } })) all.push(item)
  expect(all).toEqual(['a', 'b', 'c'])
  expect(service.got.map(({ url }) => url.split('?')[1])).toEqual(['limit=2', 'limit=2&cursor=c1', 'limit=2&cursor=c2'])
  service.willAnswer(...pages)
  for await (const item of client().list('/api/v1/domains')) {
    expect(item).toBe('a')
    break
  }
  expect(service.got).toHaveLength(1)
})

test('the inbox is a list of notifications, and pages tell their counts', async () => {
  service.willAnswer(json(200, { unread_count: 1, notifications: [{ id: 'inapp_1' }], next_cursor: null }))
  for await (const { id } of client().list('/api/v1/inbox')) expect(id).toBe('inapp_1')
  for await (const { unread_count } of client().pages('/api/v1/inbox')) expect(unread_count).toBe(1)
  expect(service.got).toHaveLength(2)
})

test('an export is read as a stream or as text, and has no time limit once it has begun', async () => {
  const slow: Parameters<typeof service.willAnswer>[0] = (response) => {
    response.writeHead(200, { 'content-type': 'text/csv' }).write('a,b\n')
    setTimeout(() => response.end('1,2\n'), 1500)
  }
  service.willAnswer(slow)
  const path = '/api/v1/activity/export'
  const text: string = await client({ timeoutMs: 1000 }).get(path, { parseAs: 'text' })
  expect(text).toBe('a,b\n1,2\n')
  const stream: ReadableStream<Uint8Array> | null = await client({ timeoutMs: 1000 }).get(path, { parseAs: 'stream' })
  expect(await new Response(stream).text()).toBe(text)
})

test('a refusal in the middle of a list is thrown', async () => {
  service.willAnswer(json(200, { items: ['a'], next_cursor: 'c1' }), problem(403, 'permission_denied'))
  const read = async () => {
    for await (const _ of client().list('/api/v1/domains'));
  }
  await expect(read()).rejects.toMatchObject({ code: 'permission_denied' })
})

test('types refuse what the API would', () => {
  const neverCalled = () => {
    // @ts-expect-error: no such path
    client().get('/api/v1/nope')
    // @ts-expect-error: a body is required
    client().post('/api/v1/notifications')
    // @ts-expect-error: not a list
    client().list('/api/v1/me')
    // @ts-expect-error: a whole number
    client().list('/api/v1/activity', { params: { query: { limit: 'many' } } })
    // @ts-expect-error: a path needs its parameters
    client().get('/api/v1/domains/{domain_id}')
    // @ts-expect-error: no such channel
    client().post('/api/v1/notifications', { body: { channel: 'pigeon' } })
  }
  expect(neverCalled).toBeInstanceOf(Function)
})
