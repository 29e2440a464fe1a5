import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineRoute, internal, service } from '@notify/contracts'
import { z } from 'zod'
import { createInternalClient, type InternalClient } from './internal-client.ts'
import { Problem } from './problem.ts'

const getThing = defineRoute({
  name: 'getThing',
  service: 'dispatch',
  method: 'GET',
  path: '/internal/things/:id',
  summary: 'A thing',
  auth: internal,
  params: z.object({ id: z.string() }),
  responses: { 200: z.object({ name: z.string() }) },
  errors: ['not_found'],
})
const makeThing = defineRoute({
  ...getThing,
  name: 'makeThing',
  method: 'POST',
  path: '/internal/things',
  body: z.object({ name: z.string() }),
})

interface Seen {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

let server: Server
let client: InternalClient
let answer: (seen: Seen, response: ServerResponse) => void
let seen: Seen

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { method, url, headers } = request
      seen = { method, url, headers, body }
      answer(seen, response)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = createInternalClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (_seen: Seen, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
const get = (id = '1', timeoutMs = 5000) => client.call(getThing, { params: { id }, timeoutMs })

async function problemOf(call: Promise<unknown>): Promise<Problem> {
  const error = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}

test('a call is made from its contract: method, path, body, and who it is made for', async () => {
  answer = json(200, { name: 'Grüße' })
  const call = client.call(makeThing, {
    body: { name: 'Grüße' },
    principal: 'token',
    headers: { traceparent: '00-1', 'idempotency-key': undefined },
    timeoutMs: 5000,
  })
  expect(await call).toEqual({ name: 'Grüße' })
  expect(seen).toMatchObject({
    method: 'POST',
    url: '/internal/things',
    body: '{"name":"Grüße"}',
    headers: { 'x-principal': 'token', traceparent: '00-1', 'content-type': 'application/json' },
  })
  expect(seen.headers).not.toHaveProperty('idempotency-key')
})

test.each(['a b', 'a/b', 'a?b=c', 'ü', '#'])('a value in a path cannot leave its segment: %s', async (id) => {
  answer = json(200, { name: 'x' })
  await get(id)
  expect(seen.url).toBe(`/internal/things/${encodeURIComponent(id)}`)
})

test('a query is passed on as it was written', async () => {
  answer = (_seen, response) => response.end('{"name":"one"}')
  await client.call(getThing, { params: { id: '1' }, search: '?limit=2&cursor=a%2Bb', timeoutMs: 5000 })
  expect(seen.url).toBe('/internal/things/1?limit=2&cursor=a%2Bb')
})

test('an exchange keeps the text byte for byte, and the headers', async () => {
  answer = (_seen, response) => {
    response.writeHead(200, { 'idempotent-replayed': 'true' })
    for (const part of ['{ "name" :', ' "Grü', 'ße" }']) response.write(part)
    response.end()
  }
  const { status, text, headers } = await client.exchange(getThing, { params: { id: '1' }, timeoutMs: 5000 })
  expect([status, text, headers['idempotent-replayed']]).toEqual([200, '{ "name" : "Grüße" }', 'true'])
})

test('a refusal is passed on as it is, with what the caller may do about it', async () => {
  const refusal = { type: 't', title: 'Rate limit exceeded', status: 429, code: 'rate_limited', detail: 'Wait' }
  answer = json(429, { ...refusal, errors: [{ path: 'to', message: 'too often' }] }, { 'retry-after': '7' })
  const problem = await problemOf(get())
  expect(problem.toBody()).toMatchObject({ code: 'rate_limited', detail: 'Wait', errors: [{ path: 'to' }] })
  expect(problem.headers).toEqual({ 'Retry-After': '7' })
})

test.each<[string, number, unknown]>([
  ['a fault', 500, { type: 't', title: 'T', status: 500, code: 'internal_error', detail: 'password=hunter2' }],
  ['a code that we do not have', 400, { type: 't', title: 'T', status: 400, code: 'teapot', detail: 'hunter2' }],
  ['something else than a problem', 404, '<html>hunter2</html>'],
  ['a redirect', 302, {}],
])('%s of the other service becomes ours, without its words', async (_what, status, body) => {
  answer = json(status, body, { location: 'http://127.0.0.1:1/' })
  const problem = await problemOf(get())
  expect(problem.code).toBe('internal_error')
  expect(JSON.stringify(problem.toBody())).not.toContain('hunter2')
  expect((problem.cause as Error).message).toBe(`dispatch answered ${status} to GET /internal/things/:id`)
})

test.each([401, 403, 422, 500])(
  'a %s for a call that the service signs itself is unavailability, not the caller’s fault',
  async (status) => {
    const refusal = { type: 't', title: 'T', status, code: 'unauthenticated', detail: 'Who are you?' }
    answer = json(status, refusal)
    const ownRoute = defineRoute({ ...getThing, auth: service('consents:check') })
    const problem = await problemOf(client.call(ownRoute, { params: { id: '1' }, timeoutMs: 5000 }))
    expect(problem.code).toBe('service_unavailable')
  },
)

test('an error that the contract of such a call declares is passed on', async () => {
  answer = json(404, { type: 't', title: 'T', status: 404, code: 'not_found', detail: 'No such thing' })
  const ownRoute = defineRoute({ ...getThing, auth: service('consents:check'), errors: ['not_found'] })
  const problem = await problemOf(client.call(ownRoute, { params: { id: '1' }, timeoutMs: 5000 }))
  expect([problem.code, problem.message]).toEqual(['not_found', 'No such thing'])
})

test('a signature of ours that the other service does not believe is not the caller’s fault', async () => {
  answer = json(401, { type: 't', title: 'T', status: 401, code: 'unauthenticated', detail: 'Who are you?' })
  expect((await problemOf(get())).code).toBe('service_unavailable')
})

test('a service that is not available makes us unavailable, with a time to come back', async () => {
  answer = json(503, {})
  const problem = await problemOf(get())
  expect([problem.code, problem.headers]).toEqual(['service_unavailable', { 'Retry-After': '1' }])
})

test('a service that does not answer in time is service_unavailable, also when it had begun', async () => {
  answer = () => {}
  expect((await problemOf(get('1', 50))).code).toBe('service_unavailable')
  answer = (_seen, response) => void response.write('{"na')
  expect((await problemOf(get('1', 50))).code).toBe('service_unavailable')
})

test('a write without a response names its timeout to the service, and may have taken effect; a read is simply repeated', async () => {
  answer = () => {}
  // Long enough for the request to leave and arrive on a busy machine.
  const write = await problemOf(client.call(makeThing, { body: { name: 'x' }, timeoutMs: 1500 }))
  expect(write.message).toMatch(/may have taken effect; repeat it with the same Idempotency-Key/)
  expect(seen.headers['x-timeout-ms']).toBe('1500')
  expect((await problemOf(get('1', 50))).message).toMatch(/does not respond; try again/)
})

test('a connection that breaks in the middle of an answer is service_unavailable', async () => {
  answer = (_seen, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"na', () => response.destroy())
  }
  expect((await problemOf(get())).code).toBe('service_unavailable')
})

test('a connection that is refused is service_unavailable, and the log learns why', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const gone = createInternalClient(`http://127.0.0.1:${port}`)
  const problem = await problemOf(gone.call(getThing, { params: { id: '1' }, timeoutMs: 5000 }))
  expect(problem.code).toBe('service_unavailable')
  expect((problem.cause as Error).message).toBe('dispatch did not answer GET /internal/things/:id: ECONNREFUSED')
  expect(JSON.stringify(problem.toBody())).not.toContain(String(port))
})

/** Breaks so many connections, each once the request has arrived, and counts the requests. */
function breakConnections(most: number): { received(): number } {
  let received = 0
  answer = (request, response) => {
    received += 1
    if (received <= most) response.destroy()
    else json(200, { name: 'again' })(request, response)
  }
  return { received: () => received }
}

const body = { name: 'x' }
const keyed = defineRoute({ ...makeThing, idempotent: true })
test.each<[string, () => Promise<unknown>]>([
  ['a read', () => get()],
  [
    'a write with an Idempotency-Key',
    () => client.call(makeThing, { body, headers: { 'idempotency-key': '1' }, timeoutMs: 5000 }),
  ],
  ['a write whose contract allows it', () => client.call(keyed, { body, timeoutMs: 5000 })],
])('%s whose connection breaks is repeated over another, but not for ever', async (_what, call) => {
  breakConnections(1)
  expect(await call()).toEqual({ name: 'again' })
  const { received } = breakConnections(10)
  expect((await problemOf(call())).code).toBe('service_unavailable')
  expect(received()).toBe(3)
})

test('a write that the service may have begun is not repeated without a key', async () => {
  const { received } = breakConnections(1)
  const problem = await problemOf(client.call(makeThing, { body, timeoutMs: 5000 }))
  expect([problem.message, received()]).toEqual([expect.stringContaining('may have taken effect'), 1])
})

test('a call that never left is repeated, whatever it is: the next connection may lead to another replica', async () => {
  const later = createServer((_request, response) => response.end('{"name":"late"}')).listen(0, '127.0.0.1')
  await once(later, 'listening')
  const { port } = later.address() as AddressInfo
  await new Promise((resolve) => later.close(resolve))
  const call = createInternalClient(`http://127.0.0.1:${port}`).call(makeThing, { body, timeoutMs: 5000 })
  later.listen(port, '127.0.0.1')
  expect(await call).toEqual({ name: 'late' })
  later.closeAllConnections()
  later.close()
})

test('a connection without calls is closed before a service that drains does it', async () => {
  answer = json(200, { name: 'x' })
  const own = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => response.end('{}')).listen(
    0,
    '127.0.0.1',
  )
  await once(own, 'listening')
  const client = createInternalClient(`http://127.0.0.1:${(own.address() as AddressInfo).port}`)
  // Repeated on a busy machine, which may stand still for the second that is to spare.
  let idleMs = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5 && idleMs >= 4800; tries++) {
    const [[socket]] = await Promise.all([once(own, 'connection'), client.call(makeThing, { body, timeoutMs: 5000 })])
    const started = performance.now()
    await once(socket, 'end')
    idleMs = performance.now() - started
  }
  expect(idleMs).toBeLessThan(4800)
  own.close()
})

test('after a failure the next call goes through', async () => {
  answer = (_seen, response) => void response.destroy()
  expect((await problemOf(get())).code).toBe('service_unavailable')
  answer = json(200, { name: 'again' })
  expect(await get()).toEqual({ name: 'again' })
})
