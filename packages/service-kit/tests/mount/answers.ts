import { expect, test } from '@jest/globals'
import { base, call, exchange, lines, logging, observed, refused } from './mounted.ts'

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

test('every answer has the request id of the caller, or a new one', async () => {
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

test('a caller that does not accept JSON gets the refusal in JSON', async () => {
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

test('one line describes each refused or failed request, and the configured share of the others', async () => {
  lines.length = 0
  const echo = (text: string) => call('POST', '/api/v1/echo', text)
  const { status: handled } = await echo('{"value":"x"}')
  const { status: refused } = await echo('{"value":')
  const request = { route: 'echo', method: 'POST', path: '/api/v1/echo', ms: expect.any(Number) }
  const refusal = { ...request, level: 30, status: refused, code: 'invalid_json', msg: 'request refused' }
  expect(lines).toEqual([expect.objectContaining(refusal)])
  logging.ratio = 1
  await echo('{"value":"x"}')
  logging.ratio = 0
  expect(lines[1]).toMatchObject({ ...request, level: 30, status: handled, body_bytes: 13, msg: 'request handled' })
  expect(lines).toHaveLength(2)
})

test('every answer is counted with its route and status, and every refusal with its code', async () => {
  observed.length = 0
  refused.length = 0
  await call('POST', '/api/v1/echo', '1')
  await call('POST', '/api/v1/echo', '{')
  await call('GET', '/nowhere')
  expect(observed).toEqual([
    ['/api/v1/echo', 201],
    ['/api/v1/echo', 400],
    ['none', 404],
  ])
  expect(refused).toEqual(['invalid_json', 'not_found'])
})

test('invalid HTTP and headers that are too large are answered with problem details, and counted', async () => {
  refused.length = 0
  expect(await exchange('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_header"/)
  const cookie = 'x'.repeat(9000)
  expect(await exchange(`GET / HTTP/1.1\r\nHost: a\r\nCookie: ${cookie}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 [\s\S]*"code":"header_too_large"/,
  )
  expect(refused).toEqual(['invalid_header', 'header_too_large'])
})

test('an answer without content has no body, no type and no length', async () => {
  const text = await exchange('DELETE /api/v1/things HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n')
  expect(text).toMatch(/^HTTP\/1.1 204 /)
  expect(text).toMatch(/\r\n\r\n$/)
  expect(text.toLowerCase()).not.toMatch(/\r\n(content-(type|length)|transfer-encoding)/)
})

test('a read is compressed for callers that accept it, and sent once per version', async () => {
  const path = `/api/v1/items/1?name=${'x'.repeat(2000)}`
  const read = (headers: Record<string, string>) => fetch(`${base}${path}`, { headers })
  const first = await read({ 'accept-encoding': 'gzip' })
  const etag = first.headers.get('etag')!
  expect([first.headers.get('content-encoding'), first.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
  expect(Number(first.headers.get('content-length'))).toBeLessThan(1000)
  for (const refused of ['identity', 'gzip;q=0', 'br, gzip; q=0.0']) {
    const plain = await read({ 'accept-encoding': refused })
    expect([plain.headers.get('content-encoding'), plain.headers.get('etag')]).toEqual([null, etag])
  }
  expect(await (await read({ 'accept-encoding': 'identity' })).text()).toBe(await first.text())
  // fetch adds "no-cache" of its own.
  const known = await read({ 'if-none-match': `"other", ${etag}` })
  expect([known.status, await known.text(), known.headers.get('etag')]).toEqual([304, '', etag])
  expect((await read({ 'if-none-match': '"other"' })).status).toBe(200)
  expect((await fetch(`${base}/api/v1/items/1`)).headers.get('content-encoding')).toBeNull()
  expect((await call('POST', '/api/v1/echo', '1')).headers.get('etag')).toBeNull()
})
