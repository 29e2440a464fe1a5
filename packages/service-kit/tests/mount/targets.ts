import { expect, test } from '@jest/globals'
import { base, call, exchange } from './mounted.ts'

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

test('path and query are read through the contract', async () => {
  expect((await call('GET', '/api/v1/items/a%2Fb?limit=5')).body).toEqual({ value: { id: 'a/b', limit: '5' } })
  const { status, body } = await call('GET', '/api/v1/items/1?limit=all&order=asc')
  expect([status, body.code, body.errors.map(({ path }: { path: string }) => path)]).toEqual([
    422,
    'validation_failed',
    ['limit', 'order'],
  ])
})

test('another method on a known path gets the allowed methods', async () => {
  const { status, headers, body } = await call('PUT', '/api/v1/echo', '{}')
  expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'method_not_allowed'])
})

test.each(['/nowhere', '/api/v1', '/api/v1/items/', '/api/v1/items/%00', '//'])('%s is not_found', async (path) => {
  const { status, body } = await call('GET', path)
  expect([status, body.code]).toEqual([404, 'not_found'])
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
