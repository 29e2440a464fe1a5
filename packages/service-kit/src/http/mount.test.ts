import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  anyone,
  apiKey,
  apiKeyOrOperator,
  carrier,
  defineRoute,
  NoContent,
  newId,
  operator,
  type Principal,
} from '@notify/contracts'
import { createTestKit } from '@notify/test-kit/service-kit'
import pino from 'pino'
import { z } from 'zod'
import { Lifecycle } from '../lifecycle.ts'
import { Problem } from '../problem.ts'
import { currentLogFields } from '../telemetry/log-fields.ts'
import { passingTracer } from '../telemetry/tracing.ts'
import type { Door } from './door.ts'
import { passOn, route } from './handler.ts'
import { mount, mountNotFound } from './mount.ts'
import { OpenStreams } from './open-streams.ts'
import { defaultMaxBodyBytes } from './read-body.ts'
import { Reply } from './reply.ts'
import { createApp, listen } from './server.ts'

const Echo = z.object({ value: z.unknown() })
const echo = defineRoute({
  name: 'echo',
  service: 'dispatch',
  method: 'POST',
  path: '/api/v1/echo',
  summary: 'Says what it was told',
  auth: anyone,
  body: z.unknown(),
  responses: { 201: Echo },
  errors: [],
})
const raw = defineRoute({
  ...echo,
  name: 'raw',
  path: '/api/v1/raw',
  auth: carrier,
  body: undefined,
  bodyType: 'raw',
  maxBodyBytes: 10,
  responses: { 200: Echo },
})
const spoken = defineRoute({
  ...raw,
  name: 'spoken',
  path: '/api/v1/spoken',
  responseType: 'text/xml',
  responses: { 200: z.string() },
})
const send = defineRoute({ ...echo, name: 'send', path: '/api/v1/sends', auth: apiKey('notifications:send') })
const steer = defineRoute({ ...send, name: 'steer', path: '/api/v1/steers', auth: operator('domains:manage') })
const either = defineRoute({
  ...send,
  name: 'either',
  path: '/api/v1/eithers',
  auth: apiKeyOrOperator('notifications:read', 'domains:manage'),
})
const remove = defineRoute({
  ...echo,
  name: 'remove',
  method: 'DELETE',
  path: '/api/v1/things',
  body: undefined,
  responses: { 204: NoContent },
})
const bare = defineRoute({ ...remove, name: 'bare', method: 'POST', path: '/api/v1/bare' })
const passed = defineRoute({
  ...send,
  name: 'passed',
  path: '/api/v1/passed',
  body: z.strictObject({ name: z.string() }),
})
const item = defineRoute({
  ...echo,
  name: 'item',
  method: 'GET',
  path: '/api/v1/items/:id',
  body: undefined,
  params: z.object({ id: z.string() }),
  query: z.strictObject({ limit: z.string().regex(/^\d+$/).optional(), name: z.string().optional() }),
  responses: { 200: Echo },
})

const principal: Principal = {
  kind: 'key',
  key_id: newId('key'),
  mode: 'live',
  tenant_id: newId('ten'),
  application_id: newId('app'),
  permissions: ['notifications:send'],
}
const callers: Record<string, Principal> = {
  sender: principal,
  reader: { ...principal, permissions: ['notifications:read'] },
  operator: { kind: 'operator', subject: 'ada', tenant_id: newId('ten'), permissions: [] },
  manager: { kind: 'operator', subject: 'eve', tenant_id: newId('ten'), permissions: ['domains:manage'] },
}

const lines: Record<string, unknown>[] = []
const log = pino(
  { level: 'info', mixin: currentLogFields },
  { write: (line: string) => void lines.push(JSON.parse(line)) },
)
const observed: [string, number][] = []
const refused: string[] = []
const lifecycle = new Lifecycle(log)
let base: string
let port: number

beforeAll(async () => {
  const app = createApp()
  const door: Door = {
    log,
    tracer: passingTracer,
    docsUrl: 'https://docs',
    edge: true,
    authenticate({ headers }) {
      const found = callers[headers.authorization ?? '']
      if (!found) throw new Problem('unauthenticated', 'Who?', { headers: { 'WWW-Authenticate': 'Bearer' } })
      return found
    },
    async admit() {
      return { RateLimit: '"key";r=9;t=1' }
    },
    streams: new OpenStreams(createTestKit('gateway')),
    observe: (_method, route, status) => void observed.push([route?.name ?? 'none', status]),
    refused: (code) => void refused.push(code),
  }
  const exact = mount(app, door, {}, [
    route(echo, async (_context, { body }) => {
      if ((body as { fail?: boolean } | null)?.fail)
        throw new Error('connect ECONNREFUSED postgres://dispatch:hunter2@db')
      return { value: body }
    }),
    route(raw, async (_context, { body }) => ({ value: body.toString('hex') })),
    route(spoken, async (_context, { body }) => (body.length > 0 ? '<Response/>' : new Reply(200, '<Nothing/>'))),
    route(send, async (_context, { idempotencyKey, requestId, span }) => {
      const value = { idempotencyKey, requestId, traceparent: span.traceparent }
      return new Reply(202, JSON.stringify({ value }), { 'Idempotent-Replayed': 'true' })
    }),
    route(steer, async (_context, { principal }) => ({ value: principal.subject })),
    route(either, async (_context, { principal }) => ({
      value: principal.kind === 'key' ? principal.application_id : principal.subject,
    })),
    route(remove, async () => undefined),
    route(bare, async () => undefined),
    passOn(passed, async (_context, { bodyText }) => new Reply(201, JSON.stringify({ value: bodyText }))),
    route(item, async (_context, { params, query }) => ({ value: { ...params, ...query } })),
  ])
  mountNotFound(app, door)
  ;({ port } = await listen(
    { app, exact },
    { host: '127.0.0.1', port: 0, docsUrl: 'https://docs', refused: door.refused },
    { log, lifecycle },
  ))
  base = `http://127.0.0.1:${port}`
})
afterAll(() => lifecycle.stop())

interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  body: any
}

async function call(
  method: string,
  path: string,
  body?: string | Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const init = { method, headers: { ...type, ...headers }, duplex: 'half', ...(body === undefined ? {} : { body }) }
  const response = await fetch(base + path, init as RequestInit)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** Writes bytes to the socket and reads until the server closes it. */
async function exchange(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8').write(bytes)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  await once(socket, 'close')
  return text
}

test.each([
  ['an object', { a: [1, 'zwei', null, { b: true }] }],
  ['a list', [1]],
  ['a text', 'Grüße 🎉'],
  ['null', null],
])('a body that is %s arrives as it was sent', async (_what, value) => {
  const { status, body } = await call('POST', '/api/v1/echo', JSON.stringify(value))
  expect([status, body]).toEqual([201, { value }])
})

test('a route may answer another media type than JSON, whatever the caller would rather have', async () => {
  for (const [body, expected] of [
    ['x', '<Response/>'],
    [undefined, '<Nothing/>'],
  ]) {
    const init = { method: 'POST', headers: { accept: 'image/png' }, ...(body ? { body } : {}) }
    const response = await fetch(`${base}/api/v1/spoken`, init)
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/xml',
      expected,
    ])
  }
})

test('every answer bears the request id of the caller, or a new one', async () => {
  const given = await call('POST', '/api/v1/echo', '1', { 'x-request-id': 'mine-1' })
  expect(given.headers.get('x-request-id')).toBe('mine-1')
  for (const [method, path] of [
    ['POST', '/api/v1/echo'],
    ['GET', '/nowhere'],
    ['DELETE', '/api/v1/echo'],
  ] as const) {
    expect((await call(method, path)).headers.get('x-request-id')).toMatch(/^req_/)
  }
})

test('a refusal is RFC 9457 problem details with the code and the request id', async () => {
  const { status, headers, body } = await call('POST', '/api/v1/echo', '{"a":', { 'x-request-id': 'mine-2' })
  expect(status).toBe(400)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toEqual({
    type: 'https://docs/errors/invalid_json',
    title: 'Invalid JSON',
    status: 400,
    code: 'invalid_json',
    detail: expect.stringMatching(/^The body is not JSON: /),
    request_id: 'mine-2',
  })
})

test.each([
  ['nothing', undefined],
  ['half an object', '{"a":1'],
  ['two values', '1 2'],
  ['a comment', '{} // done'],
  ['single quotes', "{'a':1}"],
  ['NaN', 'NaN'],
  ['a byte order mark', '\ufeff{}'],
])('a body of %s is invalid_json', async (_what, text) => {
  expect((await call('POST', '/api/v1/echo', text)).body.code).toBe('invalid_json')
})

test('bytes that are no UTF-8 are invalid_json, never replaced', async () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ]) {
    const { status, body } = await call('POST', '/api/v1/echo', new Uint8Array(bytes))
    expect([status, body.code]).toEqual([400, 'invalid_json'])
  }
})

test.each([
  ['a NUL character', '{"a":{"b":["\\u0000"]}}', 'a.b.0'],
  ['half a surrogate pair', '{"a":"\\ud83d"}', 'a'],
  ['the wrong half first', '{"a":"\\ude00\\ud83d"}', 'a'],
  ['a NUL character in a key', '{"a":{"\\u0000":1}}', 'a'],
])('%s, which Postgres cannot store, is refused with its place', async (_what, text, path) => {
  const { status, body } = await call('POST', '/api/v1/echo', text)
  expect([status, body.code, body.errors[0].path]).toEqual([422, 'validation_failed', path])
})

test('a POST that takes no body passes over an empty one, and refuses fields that it would drop', async () => {
  for (const text of ['{}', 'null']) expect((await call('POST', '/api/v1/bare', text)).status).toBe(204)
  const { status, body } = await call('POST', '/api/v1/bare', '{"at":"noon"}')
  expect([status, body.code]).toEqual([422, 'validation_failed'])
  expect(body.errors).toEqual([{ path: 'at', message: 'is not a known field' }])
  for (const text of ['[]', '"now"']) expect((await call('POST', '/api/v1/bare', text)).status).toBe(422)
})

test.each([
  ['GET', '/api/v1/items/1'],
  ['GET', '/nowhere'],
  ['HEAD', '/api/v1/items/1'],
  ['DELETE', '/api/v1/things'],
])('%s %s with a body is refused, whatever the body is', async (method, path) => {
  for (const framing of ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n']) {
    const answer = await exchange(`${method} ${path} HTTP/1.1\r\nHost: a\r\n${framing}`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    if (method !== 'HEAD') expect(answer).toContain('"code":"unexpected_body"')
  }
})

test.each([
  'GET /%',
  'GET /api/v1/items/%zz',
  'GET /api/v1/items/%ff',
  'GET /api/v1/items/1?limit=%',
  'GET /api/v1/items/1#part',
  'GET http://',
  'GET http://[',
  'GET http://[::/api/v1/items/1',
  'GET http://here:99999/api/v1/items/1',
  'GET http://eve@here/api/v1/items/1',
  'GET ftp://here/api/v1/items/1',
  'GET *',
  'OPTIONS *',
  'CONNECT here:443',
  'TRACE /%',
])('%s is a problem with the code invalid_request_target', async (line) => {
  const answer = await exchange(`${line} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*content-type: application\/problem\+json/i)
  expect(answer).toContain('"code":"invalid_request_target"')
})

test.each(['http://here', 'HTTPS://[::1]:8080'])(
  'a target may be a whole URL: %s and a path is that path',
  async (origin) => {
    const get = (path: string) => exchange(`GET ${origin}${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n`)
    expect(await get('/api/v1/items/1?limit=5')).toContain('{"value":{"id":"1","limit":"5"}}')
    for (const path of ['', '?a=1', '/nowhere']) expect(await get(path)).toMatch(/^HTTP\/1\.1 404 /)
  },
)

test('escaped characters that can be stored pass', async () => {
  expect((await call('POST', '/api/v1/echo', '"\\ud83d\\ude00 \\u00e9"')).body).toEqual({ value: '😀 é' })
})

test('a body that nests deeper than the stack is refused, not a fault of ours', async () => {
  for (const text of [
    '['.repeat(100_000) + ']'.repeat(100_000),
    `${'{"a":'.repeat(40_000)}"\\u00e9"${'}'.repeat(40_000)}`,
  ]) {
    const { status, body } = await call('POST', '/api/v1/echo', text)
    expect([status, body.code]).toEqual([422, 'validation_failed'])
    expect(body.errors).toEqual([{ path: '', message: 'nests deeper than 64 levels' }])
  }
})

test('query parameters that a route does not know are refused, whatever its method; repeated ones are named', async () => {
  for (const [method, path] of [
    ['POST', '/api/v1/sends?dry_run=true'],
    ['GET', '/api/v1/items/1?dry_run=true'],
  ] as const) {
    const { status, body } = await call(method, path, method === 'POST' ? '{}' : undefined, { authorization: 'sender' })
    expect([status, body.code, body.errors?.[0]?.path]).toEqual([422, 'validation_failed', 'dry_run'])
  }
  const repeated = await call('GET', '/api/v1/items/1?limit=1&limit=2')
  expect([repeated.status, repeated.body.errors]).toEqual([422, [{ path: 'limit', message: 'must not be repeated' }]])
  // Postgres cannot compare with NUL.
  for (const search of ['name=%00', 'name=a%00b', 'name%00=a']) {
    const { status, body } = await call('GET', `/api/v1/items/1?${search}`)
    expect([status, body.errors?.[0]?.message]).toEqual([422, 'must not contain NUL characters or lone surrogates'])
  }
  // Carriers add parameters of their own to the addresses that they call.
  expect((await call('POST', '/api/v1/raw?bodySHA256=1', 'ab')).status).toBe(200)
})

test('Allow names HEAD where there is a GET', async () => {
  const { status, headers } = await call('PUT', '/api/v1/items/1', '{}')
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('a body of very many values is refused before it is parsed', async () => {
  const entries = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 1])))
  const { status, body } = await call('POST', '/api/v1/echo', entries(10_001))
  expect([status, body.detail]).toEqual([422, 'The body has more than 10000 values'])
  expect((await call('POST', '/api/v1/echo', entries(9_000))).status).toBe(201)
})

test('the largest body is taken, one byte more is payload_too_large', async () => {
  const text = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
  expect((await call('POST', '/api/v1/echo', text(defaultMaxBodyBytes))).status).toBe(201)
  const { status, body } = await call('POST', '/api/v1/echo', text(defaultMaxBodyBytes + 1))
  expect([status, body.code]).toEqual([413, 'payload_too_large'])
})

test('a body in chunks is counted as it comes: its length need not be told', async () => {
  const chunks = (count: number) =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('"'))
        for (let i = 0; i < count; i++) controller.enqueue(new TextEncoder().encode('x'.repeat(1024)))
        controller.enqueue(new TextEncoder().encode('"'))
        controller.close()
      },
    })
  expect((await call('POST', '/api/v1/echo', chunks(255))).status).toBe(201)
  expect((await call('POST', '/api/v1/echo', chunks(256))).body.code).toBe('payload_too_large')
})

test('after a refused body the connection serves the next request', async () => {
  const big = 'x'.repeat(defaultMaxBodyBytes + 1)
  const head = (length: number, rest = '') =>
    `POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${rest}\r\n`
  const text = await exchange(`${head(big.length)}${big}${head(1, 'Connection: close\r\n')}7`)
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 201'])
})

test('an encoded body is unsupported_media_type: it could be a bomb', async () => {
  const { status, body } = await call('POST', '/api/v1/echo', '{}', { 'content-encoding': 'gzip' })
  expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
})

test('the media type matters only where there is a body', async () => {
  const form = { 'content-type': 'text/plain' }
  expect((await call('POST', '/api/v1/echo', '{}', form)).body.code).toBe('unsupported_media_type')
  expect((await call('POST', '/api/v1/echo', undefined, form)).body.code).toBe('invalid_json')
  expect((await call('GET', '/api/v1/items/1', undefined, form)).status).toBe(200)
})

test('a route that judges bytes gets them as they came, up to its own limit', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  expect((await call('POST', '/api/v1/raw', new Uint8Array([0xff, 0, 0x7b]), type)).body).toEqual({ value: 'ff007b' })
  expect((await call('POST', '/api/v1/raw')).body).toEqual({ value: '' })
  expect((await call('POST', '/api/v1/raw', 'x'.repeat(11), type)).body.code).toBe('payload_too_large')
})

test('a caller is judged before the body: who calls, what it may, then what it says', async () => {
  const codes = async (authorization: string) =>
    (await call('POST', '/api/v1/sends', '{"a":', { authorization, accept: '*/*' })).body.code
  expect(await codes('nobody')).toBe('unauthenticated')
  expect(await codes('reader')).toBe('permission_denied')
  expect(await codes('operator')).toBe('permission_denied')
  expect(await codes('sender')).toBe('invalid_json')
})

test('the headers of a limit are on every answer to a known caller, also on a refusal', async () => {
  for (const authorization of ['sender', 'reader']) {
    expect((await call('POST', '/api/v1/sends', '1', { authorization })).headers.get('ratelimit')).toBe('"key";r=9;t=1')
  }
  const unknown = await call('POST', '/api/v1/sends', '1')
  expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
})

test('a handler learns the idempotency key, the request id and the trace, and may answer byte for byte', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const headers = { authorization: 'sender', 'idempotency-key': 'k-1', 'x-request-id': 'r-1', traceparent }
  const { status, body, headers: answered } = await call('POST', '/api/v1/sends', '1', headers)
  expect([status, body]).toEqual([202, { value: { idempotencyKey: 'k-1', requestId: 'r-1', traceparent } }])
  expect(answered.get('idempotent-replayed')).toBe('true')
})

test('a body that is passed on goes as it was written: its owner judges the shape, the door only the JSON', async () => {
  const pass = (body: string, key = 'k-1') =>
    call('POST', '/api/v1/passed', body, { authorization: 'sender', 'idempotency-key': key })
  expect((await pass('{ "nom" : 1 }')).body).toEqual({ value: '{ "nom" : 1 }' })
  expect((await pass('{"name":')).body.code).toBe('invalid_json')
  expect((await pass('{"name":"\\ud800"}')).body.code).toBe('validation_failed')
  expect((await pass('{"nom":1}', 'two words')).body.code).toBe('validation_failed')
  expect((await pass('{"name":"Ada"}', 'two words')).body.code).toBe('invalid_idempotency_key')
})

test('path and query are read through the contract', async () => {
  expect((await call('GET', '/api/v1/items/a%2Fb?limit=5')).body).toEqual({ value: { id: 'a/b', limit: '5' } })
  const { status, body } = await call('GET', '/api/v1/items/1?limit=all&order=asc')
  expect([status, body.code, body.errors.map(({ path }: { path: string }) => path)]).toEqual([
    422,
    'validation_failed',
    ['limit', 'order'],
  ])
})

test('another method on a known path is told what is allowed', async () => {
  const { status, headers, body } = await call('PUT', '/api/v1/echo', '{}')
  expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'method_not_allowed'])
})

test.each(['/nowhere', '/api/v1', '/api/v1/items/', '/api/v1/items/%00', '//'])('%s is not_found', async (path) => {
  const { status, body } = await call('GET', path)
  expect([status, body.code]).toEqual([404, 'not_found'])
})

test('a caller that takes no JSON is told so in JSON', async () => {
  const { status, headers } = await call('GET', '/api/v1/items/1', undefined, { accept: 'text/html' })
  expect([status, headers.get('content-type')]).toEqual([406, 'application/problem+json'])
})

test('a fault of ours is logged with its cause, and the caller learns nothing of it', async () => {
  lines.length = 0
  const { status, body } = await call('POST', '/api/v1/echo', '{"fail":true}', { 'x-request-id': 'fault-1' })
  expect([status, body.code]).toEqual([500, 'internal_error'])
  expect(JSON.stringify(body)).not.toMatch(/hunter2|ECONNREFUSED/)
  expect(lines).toMatchObject([{ level: 50, request_id: 'fault-1', route: 'echo' }])
  expect(JSON.stringify(lines)).toContain('ECONNREFUSED')
})

test('every answer is counted with its route and status, and every refusal with its code', async () => {
  observed.length = 0
  refused.length = 0
  await call('POST', '/api/v1/echo', '1')
  await call('POST', '/api/v1/echo', '{')
  await call('GET', '/nowhere')
  expect(observed).toEqual([
    ['echo', 201],
    ['echo', 400],
    ['none', 404],
  ])
  expect(refused).toEqual(['invalid_json', 'not_found'])
})

test('what is no HTTP, and headers that are too large, are answered with problem details, and counted', async () => {
  refused.length = 0
  expect(await exchange('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_header"/)
  const cookie = 'x'.repeat(9000)
  expect(await exchange(`GET / HTTP/1.1\r\nHost: a\r\nCookie: ${cookie}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 [\s\S]*"code":"header_too_large"/,
  )
  expect(refused).toEqual(['invalid_header', 'header_too_large'])
})

test('a control character in the idempotency key is told as such', async () => {
  const request = 'POST /api/v1/sends HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\x01b\r\nContent-Length: 0\r\n\r\n'
  expect(await exchange(request)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_idempotency_key"/)
})

test('a caller that goes away in the middle of its body harms nobody', async () => {
  const outgoing = httpRequest(`${base}/api/v1/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '100' },
  })
  outgoing.on('error', () => {})
  outgoing.write('{"a":')
  await new Promise<void>((resolve) => outgoing.once('socket', (socket) => socket.once('connect', () => resolve())))
  await new Promise(setImmediate)
  outgoing.destroy()
  expect((await call('POST', '/api/v1/echo', '1')).status).toBe(201)
})

test('a drain answers what is under way and takes nothing new', async () => {
  const ending = new Lifecycle(log)
  const app = createApp()
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  const { promise: may, resolve: allow } = Promise.withResolvers<void>()
  app.get('/slow', async (_request, response) => {
    onAsked()
    await may
    response.json('done')
  })
  const { port: own } = await listen(
    { app },
    { host: '127.0.0.1', port: 0, docsUrl: 'https://docs' },
    { log, lifecycle: ending },
  )
  const answer = fetch(`http://127.0.0.1:${own}/slow`)
  await asked
  const stopped = ending.stop()
  await expect(fetch(`http://127.0.0.1:${own}/slow`)).rejects.toThrow()
  allow()
  expect(await (await answer).json()).toBe('done')
  await stopped
})

test('a port that is taken is told', async () => {
  const other = listen({ app: createApp() }, { host: '127.0.0.1', port, docsUrl: 'https://docs' }, { log, lifecycle })
  await expect(other).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test.each([
  ['/api/v1/eithers', 'reader', 201, principal.application_id],
  ['/api/v1/eithers', 'manager', 201, 'eve'],
  ['/api/v1/eithers', 'sender', 403, 'notifications:read'],
  ['/api/v1/eithers', 'operator', 403, 'domains:manage'],
  ['/api/v1/steers', 'sender', 403, "an operator's access token"],
  ['/api/v1/sends', 'manager', 403, 'an API key'],
])('at %s the %s gets %i: each kind of caller needs its own permission', async (path, authorization, status, told) => {
  const answer = await call('POST', path, '{}', { authorization })
  expect([answer.status, answer.body.value ?? answer.body.detail]).toEqual([status, expect.stringContaining(told)])
})

test('an answer without content has no body, no type and no length', async () => {
  const text = await exchange('DELETE /api/v1/things HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n')
  expect(text).toMatch(/^HTTP\/1.1 204 /)
  expect(text).toMatch(/\r\n\r\n$/)
  expect(text.toLowerCase()).not.toMatch(/content-(type|length)|transfer-encoding/)
})

test.each(['/api/v1/echo', '/api/v1/echo/', '/API/v1/echo', '/api/v1/echo?a=1'])(
  'however its path is spelt, a route is the same: %s',
  async (path) => {
    const answer = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    expect([answer.status, await answer.json()]).toEqual([201, { value: { a: 1 } }])
  },
)
