import { expect, test } from '@jest/globals'
import { defaultMaxBodyBytes } from '../../src/http/read-body.ts'
import { principal } from './contracts.ts'
import { call, exchange, sharing } from './mounted.ts'

test.each([
  ['an object', { a: [1, 'zwei', null, { b: true }] }],
  ['a list', [1]],
  ['a text', 'Grüße 🎉'],
  ['null', null],
])('a body that is %s arrives as it was sent', async (_what, value) => {
  const { status, body } = await call('POST', '/api/v1/echo', JSON.stringify(value))
  expect([status, body]).toEqual([201, { value }])
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
])('%s, which Postgres cannot store, is refused with its position', async (_what, text, path) => {
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

const entries = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 1])))

test('a body of very many values is refused before it is parsed', async () => {
  const { status, body } = await call('POST', '/api/v1/echo', entries(10_001))
  expect([status, body.detail]).toEqual([422, 'The body has more than 10000 values'])
  expect((await call('POST', '/api/v1/echo', entries(9_000))).status).toBe(201)
})

test('a route may permit more values, up to a limit of its own', async () => {
  expect((await call('POST', '/api/v1/crowds', entries(19_000))).status).toBe(201)
  const { status, body } = await call('POST', '/api/v1/crowds', entries(20_001))
  expect([status, body.detail]).toEqual([422, 'The body has more than 20000 values'])
})

test('the largest body is taken, one byte more is payload_too_large', async () => {
  const text = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
  expect((await call('POST', '/api/v1/echo', text(defaultMaxBodyBytes))).status).toBe(201)
  const { status, body } = await call('POST', '/api/v1/echo', text(defaultMaxBodyBytes + 1))
  expect([status, body.code]).toEqual([413, 'payload_too_large'])
})

test('a field that a route exempts leaves its length to the rest of the body, also if its letters are escaped', async () => {
  const long = 'ü'.repeat(defaultMaxBodyBytes / 2)
  const post = (body: object) =>
    call('POST', '/api/v1/translated', JSON.stringify(body).replaceAll('ü', '\\u00fc')).then(({ status }) => status)
  expect(await post({ name: 'x', translations: { de: long } })).toBe(201)
  expect(await post({ name: `${long}x`, translations: { de: long } })).toBe(413)
})

test('a body in chunks is counted as it comes: it needs no declared length', async () => {
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

test('a body takes from the share of the tenant whose credentials were verified', async () => {
  const headers = { authorization: 'sender' }
  sharing.length = 0
  expect((await call('POST', '/api/v1/sends', '1', headers)).status).toBe(202)
  expect((await call('POST', '/api/v1/echo', '1', headers)).status).toBe(201)
  expect(sharing).toEqual([principal.tenant_id, undefined])
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

test('a body that is passed on goes as it was written: its owner judges the shape, the door only the JSON', async () => {
  const pass = (body: string, key = 'k-1') =>
    call('POST', '/api/v1/passed', body, { authorization: 'sender', 'idempotency-key': key })
  expect((await pass('{ "nom" : 1 }')).body).toEqual({ value: '{ "nom" : 1 }' })
  expect((await pass('{"name":')).body.code).toBe('invalid_json')
  expect((await pass('{"name":"\\ud800"}')).body.code).toBe('validation_failed')
  expect((await pass('{"nom":1}', 'two words')).body.code).toBe('validation_failed')
  expect((await pass('{"name":"Ada"}', 'two words')).body.code).toBe('invalid_idempotency_key')
})
