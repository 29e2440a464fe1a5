import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { permissionsFor, type Route } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
import { parametersOf } from '@notify/contracts/openapi-parameters'
import { TestEnv } from '@notify/dev-env'
import { addKey, operatorToken } from '@notify/test-kit/callers'
import { rawRequest } from '@notify/test-kit/http'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { unlikeExample } from './unlike-example.ts'

interface Declared {
  description: string
  headers: Record<string, { $ref: string }>
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface Sent {
  /** Replaces the path's own query. */
  search?: string
  bearer?: string | undefined
  body?: string
  headers?: Record<string, string>
}

let env: TestEnv
let document: {
  paths: Record<string, Record<string, { responses: Record<string, Declared | { $ref: string }> }>>
  components: object
}
/** A key that has used up its limit, and an operator without permissions. */
let limited: string
let powerless: string

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream', 'callbacks'], {
    apart: ['dispatch-api', 'inbox-stream', 'callbacks'],
  })
  document = (await env.api('GET', '/content/openapi.json', { key: null })).body
  const permissions = ['notifications:send', 'notifications:read', 'inbox:token', 'domains:manage']
  limited = (await addKey(env, env, { permissions, perSecond: 1 })).apiKey
  powerless = operatorToken(env, { permissions: [] })
})
afterAll(() => env?.stop())

/** Headers of HTTP itself, which OpenAPI leaves out or describes elsewhere. */
const ofTransport = new Set(['date', 'connection', 'keep-alive', 'content-type', 'content-length', 'transfer-encoding'])

const unknownId = '01jd3x8qk5w9t2m4v6b8n0p2r4'
/** The gateway looks an application up before it asks the owner of its events, topics, recipients and digests. */
const pathOf = ({ path }: Route) =>
  path
    .replace(/:application_id\/(events|topics|recipients|digests)/, `${env.applicationId}/$1`)
    .replace(':locale', 'en')
    .replace(/:(\w+)/g, unknownId)
const bearerOf = ({ auth }: Route) => {
  const permissions = permissionsFor(auth)
  return permissions && (permissions.operator ? env.operatorToken : env.apiKey)
}

async function send(
  route: Route,
  { search = '', bearer = bearerOf(route), body, headers = {} }: Sent,
): Promise<Answer> {
  const { hostname, port } = new URL(env.stack.url('gateway'))
  const request = httpRequest({
    hostname,
    port,
    method: route.method,
    path: pathOf(route) + search,
    agent: false,
    headers: {
      ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  })
  request.end(body)
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, headers: response.headers, text }
}

async function sendRaw(route: Route, lines: string): Promise<Answer> {
  const head = `${route.method} ${pathOf(route)} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`
  const { status, headers, text } = await rawRequest(env.stack.url('gateway'), head)
  return { status, headers: Object.fromEntries(headers), text }
}

/** One valid request, and others that are each wrong in one way. */
const provocations: Record<string, (route: Route) => Promise<Answer>> = {
  'as it is': (route) => send(route, {}),
  'without credentials': (route) => send(route, { bearer: '' }),
  'with wrong credentials': (route) => send(route, { bearer: 'sk_live_wrong' }),
  'without the permission': (route) => send(route, { bearer: powerless }),
  'with a key that may do nothing': (route) => send(route, { bearer: env.apiKeyNoPermissions }),
  'past the limit': async (route) => (await Promise.all([1, 2, 3].map(() => send(route, { bearer: limited })))).at(-1)!,
  'for HTML': (route) => send(route, { headers: { accept: 'text/html' } }),
  'of a version that the caller has': async (route) => {
    const { etag } = (await send(route, {})).headers
    return send(route, { headers: etag === undefined ? {} : { 'if-none-match': etag } })
  },
  'with a body': (route) => send(route, { body: '{}' }),
  'with no JSON': (route) => send(route, { body: '{' }),
  'with unknown fields': (route) => send(route, { body: '{"nope":1}' }),
  'with text': (route) => send(route, { body: '{}', headers: { 'content-type': 'application/x-yaml' } }),
  'with a compressed body': (route) => send(route, { body: '{}', headers: { 'content-encoding': 'gzip' } }),
  'with a large body': (route) => {
    const length = (route.maxBodyBytes ?? 256 * 1024) + 2
    // Refused by its length: a connection that is closed meanwhile would not take the rest.
    if (length > 1024 * 1024) return sendRaw(route, `Host: a\r\nContent-Length: ${length}\r\n`)
    return send(route, { body: `"${'x'.repeat(length - 2)}"` })
  },
  'with an unknown query': (route) => send(route, { search: '?nope=1&limit=all' }),
  'with a bad Idempotency-Key': (route) => send(route, { body: '{}', headers: { 'idempotency-key': 'two words' } }),
  'with a bad target': (route) => send(route, { search: '?a=%zz' }),
  'with large headers': (route) => send(route, { headers: { 'x-large': 'x'.repeat(9000) } }),
  'with an unknown Expect': (route) => sendRaw(route, 'Host: a\r\nExpect: wonders\r\n'),
  'without Host': (route) => sendRaw(route, ''),
  'with an unknown coding': (route) => sendRaw(route, 'Host: a\r\nTransfer-Encoding: gzip, chunked\r\n'),
}

/** People who follow a link that is not valid get a page, not a problem. */
const isPage = (headers: Answer['headers']) => headers['content-type']?.startsWith('text/html') ?? false

/** The parts of an answer that its declaration lacks. */
function undeclared(route: Route, { status, headers, text }: Answer): string[] {
  const operation = document.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method.toLowerCase()]!
  const response = operation.responses[status]
  const declared = response && '$ref' in response ? resolve<Declared>(response.$ref) : response
  if (!declared) return [`${status} ${text}`]
  const faults: string[] = []
  const names = Object.keys(declared.headers).map((name) => name.toLowerCase())
  for (const name of Object.keys(headers)) {
    if (!ofTransport.has(name) && !names.includes(name)) faults.push(`${status} has ${name}`)
  }
  for (const [name, { $ref }] of Object.entries(declared.headers)) {
    const component = resolve<{ required?: boolean }>($ref)
    if (component?.required && headers[name.toLowerCase()] === undefined) faults.push(`${status} lacks ${name}`)
  }
  const code = status >= 400 && !isPage(headers) ? JSON.parse(text).code : undefined
  if (code && !declared.description.includes(`\`${code}\``)) faults.push(`${status} does not name ${code}`)
  return faults
}

function resolve<Part>(reference: string): Part | undefined {
  const names = reference.split('/').slice(1)
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document) as Part
}

/** The faults of a refusal against its common form (RFC 9457), which contains the caller's request id. */
function malformed({ status, headers, text }: Answer, requestId: string | undefined): string[] {
  const faults = requestId === undefined || headers['x-request-id'] === requestId ? [] : ['another request id']
  if (status < 400 || isPage(headers)) return faults
  const problem = JSON.parse(text)
  const { type, code, request_id, status: stated } = problem
  if (!headers['content-type']?.startsWith('application/problem+json')) faults.push('no problem')
  if (request_id !== headers['x-request-id']) faults.push('a request id of its own')
  if (stated !== status || !type.endsWith(`/errors/${code}`)) faults.push('another status or type')
  faults.push(...unlikeExample(problem))
  return faults
}

const seen = new Set<number>()
const routes = publicRoutes().map((route) => [`${route.method} ${route.path}`, route] as const)

test.each(routes)('every answer of %s is declared, with its headers and its code', async (_name, route) => {
  for (const [what, provoke] of Object.entries(provocations)) {
    const answer = await provoke(route)
    expect([what, undeclared(route, answer)]).toEqual([what, []])
    expect([what, malformed(answer, undefined)]).toEqual([what, []])
    expect([what, answer.status]).not.toEqual([what, 500])
    seen.add(answer.status)
  }
})

test.each(routes)("%s returns its caller's request id", async (_name, route) => {
  const headers = { 'x-request-id': 'the-callers:own_id.1' }
  for (const bearer of [undefined, '']) {
    const answer = await send(route, bearer === undefined ? { headers } : { headers, bearer })
    expect(malformed(answer, headers['x-request-id'])).toEqual([])
  }
})

const queried = routes.flatMap(([name, route]) =>
  parametersOf(route)
    .filter((parameter) => parameter.in === 'query' && permissionsFor(route.auth))
    .map((parameter) => [name, parameter.name, route] as const),
)

test.each(queried)('%s refuses NUL in %s', async (_name, parameter, route) => {
  const { status, text } = await send(route, { search: `?${parameter}=%00` })
  expect([status, JSON.parse(text).errors?.[0]?.path]).toEqual([422, parameter])
})

test('the requests above provoked every kind of refusal', () => {
  const provoked = [200, 304, 400, 401, 403, 404, 406, 413, 415, 417, 422, 429, 431, 501]
  expect([...seen]).toEqual(expect.arrayContaining(provoked))
})

test('an accepted request and its replay are declared', async () => {
  const route = publicRoutes().find(({ name }) => name === 'createNotification')!
  const sent = { body: JSON.stringify(smsTo(freshPhone())), headers: { 'idempotency-key': 'declared' } }
  for (const replayed of [undefined, 'true']) {
    const answer = await send(route, sent)
    expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([202, replayed])
    expect(undeclared(route, answer)).toEqual([])
  }
})

test('the answer while the service behind the gateway is down is declared', async () => {
  await Promise.all([env.kill('dispatch-api'), env.kill('inbox-stream'), env.kill('callbacks')])
  const behind = publicRoutes().filter(({ service }) => service !== 'gateway')
  await Promise.all(
    behind.map(async (route) => {
      const body = route.name === 'createNotificationBatch' ? { requests: [smsTo(freshPhone())] } : {}
      const search = route.name === 'deleteMember' ? '?user_id=ada' : ''
      const hasBody = route.method !== 'GET' && route.method !== 'DELETE'
      const answer = await send(route, { search, ...(hasBody && { body: JSON.stringify(body) }) })
      expect([route.name, answer.status, undeclared(route, answer)]).toEqual([route.name, 503, []])
    }),
  )
})
