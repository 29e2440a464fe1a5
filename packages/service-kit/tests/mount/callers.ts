import { expect, test } from '@jest/globals'
import { principal } from './contracts.ts'
import { call, exchange } from './mounted.ts'

test('a request is judged in this order: the caller, its permissions, the body', async () => {
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

test('a control character in the idempotency key is refused as such', async () => {
  const request = 'POST /api/v1/sends HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\x01b\r\nContent-Length: 0\r\n\r\n'
  expect(await exchange(request)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_idempotency_key"/)
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
