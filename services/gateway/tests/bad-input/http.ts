import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { expectProblem, post } from '@notify/test-kit/api'
import { rawRequest } from '@notify/test-kit/http'
import { smsTo } from '@notify/test-kit/sms'
import { env, path, phone } from './stack.ts'

describe('a refusal of the HTTP parser is a problem too', () => {
  const request = (line: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${env.apiKey}\r\n${line}\r\nContent-Length: 2\r\n\r\n{}`

  test.each<[string, string, number, string]>([
    ['a header of 10 KB', `X-Long: ${'x'.repeat(10_000)}`, 431, 'header_too_large'],
    ['a control character in Idempotency-Key', 'Idempotency-Key: a\x01b', 400, 'invalid_idempotency_key'],
    ['NUL in Idempotency-Key', 'Idempotency-Key: a\0b', 400, 'invalid_idempotency_key'],
    ['a carriage return in Idempotency-Key', 'Idempotency-Key: a\rb', 400, 'invalid_idempotency_key'],
    ['a control character elsewhere', 'X-Other: a\x01b', 400, 'invalid_header'],
    ['a header without a name', ': value', 400, 'invalid_header'],
    ['two lengths', 'Content-Length: 7', 400, 'invalid_header'],
    [
      'two media types',
      'Connection: close\r\nContent-Type: application/json\r\nContent-Type: text/plain',
      415,
      'unsupported_media_type',
    ],
    ['two credentials', 'Connection: close\r\nAuthorization: Bearer x', 401, 'unauthenticated'],
    ['a length and chunks', 'Transfer-Encoding: chunked', 400, 'invalid_header'],
  ])('%s', async (_what, line, status, code) => {
    expectProblem(await rawRequest(env.stack.url('gateway'), request(line)), status, code)
  })

  const bare = (lines: string) => `POST ${path} HTTP/1.1\r\n${lines}Content-Type: application/json\r\n`

  test.each<[string, string, number, string]>([
    ['no Host', `${bare('')}Content-Length: 2\r\nConnection: close\r\n\r\n{}`, 400, 'invalid_header'],
    [
      'an unknown Expect',
      `${bare('Host: a\r\nExpect: 200-ok\r\n')}Content-Length: 2\r\n\r\n{}`,
      417,
      'expectation_failed',
    ],
    [
      'a compressed transfer',
      `${bare('Host: a\r\nTransfer-Encoding: gzip, chunked\r\n')}\r\n2\r\n{}\r\n0\r\n\r\n`,
      501,
      'transfer_coding_unknown',
    ],
    [
      'a compressed transfer in two headers, to a carrier’s door',
      'POST /api/v1/callbacks/smsprovider/sms HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      501,
      'transfer_coding_unknown',
    ],
    [
      'a transfer without a declared end',
      `${bare('Host: a\r\nTransfer-Encoding: chunked, gzip\r\n')}\r\n2\r\n{}\r\n0\r\n\r\n`,
      400,
      'invalid_header',
    ],
  ])('%s', async (_what, bytes, status, code) => {
    expectProblem(await rawRequest(env.stack.url('gateway'), bytes), status, code)
  })

  test.each(['hello\r\n\r\n', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00'])(
    'a connection that does not speak HTTP: %j',
    async (bytes) => expectProblem(await rawRequest(env.stack.url('gateway'), bytes), 400, 'invalid_header'),
  )
})

describe('an Idempotency-Key is 1 to 255 visible ASCII characters', () => {
  test.each([
    ['too long', 'k'.repeat(256)],
    ['a space', 'a b'],
    ['a tab', 'a\tb'],
    ['beyond ASCII', 'clé'],
    ['empty', ''],
  ])('%s', async (_what, key) => {
    const answer = await post(env, smsTo(phone), { headers: { 'idempotency-key': key } })
    expectProblem(answer, 400, 'invalid_idempotency_key')
  })
})

describe('paths, methods and media types', () => {
  test.each<[string, string]>([
    ['GET', '/api/v1/nothing'],
    ['POST', '/api/v2/notifications'],
    ['POST', '/internal/v1/notifications/accept'],
    ['POST', '/api/v1/callbacks/smsprovider/nothing'],
    ['GET', '/api/v1/activity/a/b/c'],
    ['GET', '/'],
  ])('%s %s is 404 not_found', async (method, unknown) => {
    expectProblem(await env.api(method, unknown), 404, 'not_found')
  })

  test.each(['%00', '..%2f..%2fetc', "'%20or%201=1--", 'x'.repeat(5000)].map((id) => [id.slice(0, 20), id]))(
    'an id such as %s is 404 not_found',
    async (_shown, id) => {
      expectProblem(await env.api('GET', `${path}/${id}`), 404, 'not_found')
      const retried = await env.api('POST', `/api/v1/activity/${id}/retry`, { token: env.operatorToken })
      expectProblem(retried, 404, 'not_found')
    },
  )

  test('a long id is 404 not_found also with an Idempotency-Key', async () => {
    // Random, because Postgres compresses the entries of an index.
    const id = randomBytes(1500).toString('hex')
    const answer = await env.api('POST', `${path}/${id}/cancel`, { headers: { 'idempotency-key': id.slice(0, 32) } })
    expectProblem(answer, 404, 'not_found')
  })

  test.each(['%', '%zz', '%ff', '%E0%A4%A'])('an id such as %s, which is no text, is 400', async (id) => {
    expectProblem(await env.api('GET', `${path}/${id}`), 400, 'invalid_request_target')
    expectProblem(await env.api('GET', `/api/v1/callbacks/email/${id}`), 400, 'invalid_request_target')
    expectProblem(await env.call('callbacks', 'GET', `/api/v1/callbacks/email/${id}`), 400, 'invalid_request_target')
    expectProblem(await env.call('dispatch-api', 'GET', `${path}/${id}`), 400, 'invalid_request_target')
  })

  test.each([
    ['GET', path, 'POST'],
    ['PUT', path, 'POST'],
    ['DELETE', path, 'POST'],
    ['OPTIONS', path, 'POST'],
    ['POST', '/api/v1/activity', 'GET, HEAD'],
    ['GET', '/api/v1/activity/notif_x/retry', 'POST'],
    ['GET', '/api/v1/callbacks/smsprovider/sms', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/readyz', 'GET, HEAD'],
    ['PUT', '/content/openapi.json', 'GET, HEAD'],
  ])('%s %s is 405 and names what is allowed', async (method, known, allow) => {
    const answer = await env.api(method, known)
    expectProblem(answer, 405, 'method_not_allowed')
    expect(answer.headers.get('allow')).toBe(allow)
  })

  test.each(['text/html', 'application/xml', 'application/json;q=0', 'image/*, text/*'])(
    'Accept: %s is 406',
    async (accept) => expectProblem(await post(env, smsTo(phone), { headers: { accept } }), 406, 'not_acceptable'),
  )
})

test.each([
  ['limit=0', 'limit must be at least 1'],
  ['limit=101', 'limit must be at most 100'],
  ['limit=ten', 'limit must be a whole number from 1 to 100'],
  ['page=0', 'page must be at least 1'],
])('?%s is reported once: %s', async (query, detail) => {
  const answer = await env.api('GET', `/api/v1/activity?${query}`, { token: env.operatorToken })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.detail).toBe(detail)
})

test.each<[string, string, number]>([
  ['GET', '/healthz', 200],
  ['GET', '/readyz', 200],
  ['GET', '/content/openapi.json', 200],
  ['HEAD', '/content/openapi.json', 200],
  ['GET', '/api/v1/activity', 401],
  ['GET', '/nothing', 404],
  ['POST', '/api/v1/callbacks/smsprovider/sms', 415],
])('the answer to %s %s names the request, with the id of its caller or a new one', async (method, asked, status) => {
  const named = await env.api(method, asked, { key: null, headers: { 'x-request-id': 'seen-7' } })
  expect([named.status, named.headers.get('x-request-id')]).toEqual([status, 'seen-7'])
  const unnamed = await env.api(method, asked, { key: null })
  expect(unnamed.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
})
