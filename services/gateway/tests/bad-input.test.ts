import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { TestEnv } from '@notify/dev-env'
import { effectsIn, expectProblem, post, untilState } from '@notify/test-kit/api'
import { rawRequest } from '@notify/test-kit/http'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
let before: object

beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
})
afterAll(() => env?.stop())
beforeEach(async () => {
  before = await effectsIn(env)
})
/** Refused requests leave no rows, and end no process. */
afterEach(async () => {
  expect(await effectsIn(env)).toEqual(before)
})

const path = '/api/v1/notifications'
const phone = freshPhone()
const event = (fields: object) => ({ channel: 'sms', event_key: 'order.shipped', recipient: { phone }, ...fields })
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

describe('a body that does not fit its schema is 422 validation_failed naming the field', () => {
  test.each<[string, unknown, string]>([
    ['an unknown field', smsTo(phone, { colour: 'red' }), 'colour'],
    ['a recipient field of another channel', smsTo(phone, { recipient: { phone, url: 'x' } }), 'recipient.url'],
    ['no channel', { recipient: { phone }, body: 'x' }, 'channel'],
    ['a channel that does not exist', smsTo(phone, { channel: 'pigeon' }), 'channel'],
    ['a channel in capitals', smsTo(phone, { channel: 'SMS' }), 'channel'],
    ['no recipient', { channel: 'sms', body: 'x' }, 'recipient'],
    ['a list of recipients', smsTo(phone, { recipient: [phone] }), 'recipient'],
    ['null as recipient', smsTo(phone, { recipient: null }), 'recipient'],
    ['neither event_key nor body', { channel: 'sms', recipient: { phone } }, 'body'],
    ['event_key and body together', event({ body: 'x' }), 'body'],
    ['event_key and template_data together', event({ template_data: {} }), 'template_data'],
    ['an empty body', smsTo(phone, { body: '' }), 'body'],
    ['a blank body', smsTo(phone, { body: ' \n\t' }), 'body'],
    ['a number as body', smsTo(phone, { body: 42 }), 'body'],
    ['1601 characters', smsTo(phone, { body: 'x'.repeat(1601) }), 'body'],
    ['more than 1600 UTF-16 units, as the carrier counts', smsTo(phone, { body: '🙂'.repeat(801) }), 'body'],
    ['data without event_key', smsTo(phone, { data: { name: 'Ada' } }), 'data'],
    ['data that is a list', event({ data: ['Ada'] }), 'data'],
    ['data that is text', event({ data: 'Ada' }), 'data'],
    ['an event_key that is a number', event({ event_key: 7 }), 'event_key'],
    ['an event_key with a path', event({ event_key: '../../etc/passwd' }), 'event_key'],
    ['a priority that does not exist', smsTo(phone, { priority: 'urgent' }), 'priority'],
    ['metadata that is not text', smsTo(phone, { metadata: { n: 1 } }), 'metadata.n'],
    ['a template_id that is none', smsTo(phone, { template_id: 'tmpl_1' }), 'template_id'],
  ])('%s', async (_what, body, field) => {
    const answer = await post(env, body)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors.map(({ path }: { path: string }) => path)).toContain(field)
  })

  test.each(['[]', 'null', '"text"', '42', 'true'])('%s in place of an object', async (raw) => {
    expectProblem(await env.api('POST', path, { raw }), 422, 'validation_failed')
  })

  test.each<[string, string]>([
    ['NUL in a value', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"a\\u0000b"}`],
    ['NUL in a key', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"x","data":{"a\\u0000":1}}`],
    ['NUL deep inside', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"x","data":{"a":[{"b":"\\u0000"}]}}`],
    ['a lone high surrogate', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"\\ud83d"}`],
    ['surrogates the wrong way round', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"\\udc00\\ud800"}`],
    ['a number beyond all numbers', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"x","data":{"n":1e999}}`],
    [
      'an integer that would be rounded',
      `{"channel":"sms","event_key":"order.shipped","recipient":"${phone}","data":{"name":"x","order":9007199254740993}}`,
    ],
    [
      'a large one of 20 digits',
      `{"channel":"sms","event_key":"order.shipped","recipient":"${phone}","data":{"name":"x","order":[-12345678901234567890]}}`,
    ],
    ['__proto__ as a field', `{"__proto__":{},"channel":"sms","recipient":{"phone":"${phone}"},"body":"x"}`],
    ['100 levels', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"x","data":{"a":${nested(100)}}}`],
    ['60,000 levels', `{"channel":"sms","recipient":{"phone":"${phone}"},"body":"x","data":{"a":${nested(60_000)}}}`],
    ['60,000 levels and an escape', `{"channel":"sms","body":"\\u0041","data":{"a":${nested(60_000)}}}`],
    ['120,000 levels of nothing else', nested(120_000)],
  ])('%s', async (_what, raw) => {
    expectProblem(await env.api('POST', path, { raw }), 422, 'validation_failed')
  })
})

describe('a phone that is missing or not E.164 is 422 invalid_recipient', () => {
  const forms = [
    '4155550100',
    '004155550100',
    '+0155550100',
    '+1 415 555 0100',
    '+1-415-555-0100',
    '+1(415)5550100',
    '+123456',
    '+1234567890123456',
    '+1415555010a',
    '+',
    '',
    ' +14155550100',
    '+14155550100\n',
    '＋14155550100',
    '+１４１５５５５０１００',
    '++14155550100',
    'user@example.com',
  ]
  test.each(forms.map((form) => [JSON.stringify(form), form]))('%s', async (_shown, form) => {
    expectProblem(await post(env, smsTo(form)), 422, 'invalid_recipient')
    expectProblem(await post(env, smsTo('', { recipient: form })), 422, 'invalid_recipient')
  })

  test.each([[{}], [{ phone: 14155550100 }], [{ phone: null }], [{ phone: ['+14155550100'] }]])(
    '%j as recipient',
    async (recipient) => expectProblem(await post(env, smsTo('', { recipient })), 422, 'invalid_recipient'),
  )

  test.each([
    ['recipient', '{"phone":"+14155550100","__proto__":{}}'],
    ['recipient', '{"__proto__":{"phone":"+14155550100"}}'],
    ['metadata', '{"__proto__":"gone"}'],
    ['template_data', '{"__proto__":1}'],
    ['template_data.deep', '{"\\u005f_proto__":1}'],
  ])('a field called __proto__, which would be lost on the way, is refused: %s %s', async (place, value) => {
    const [field, inner] = place.split('.')
    const raw = `{"channel":"sms","recipient":"+14155550100","body":"x","${field}":${inner ? `{"${inner}":${value}}` : value}}`
    const answer = await env.api('POST', path, { raw })
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors).toEqual([{ path: `${place}.__proto__`, message: 'is not an allowed field name' }])
  })
})

describe('a body that is not JSON is refused as such before its content is checked', () => {
  test.each<[string, string | Uint8Array, number, string]>([
    ['broken JSON', '{"channel":"sms"', 400, 'invalid_json'],
    ['a trailing comma', '{"channel":"sms",}', 400, 'invalid_json'],
    ['two values', '{}{}', 400, 'invalid_json'],
    ['text', 'hello', 400, 'invalid_json'],
    ['an empty body', '', 400, 'invalid_json'],
    ['white space', '  ', 400, 'invalid_json'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400, 'invalid_json'],
    ['UTF-16', Buffer.from('{"channel":"sms"}', 'utf16le'), 400, 'invalid_json'],
    ['1 MB', JSON.stringify(smsTo(phone, { body: 'x'.repeat(1_000_000) })), 413, 'payload_too_large'],
    ['one byte too much', 'x'.repeat(10 * 1024 * 1024 + 1), 413, 'payload_too_large'],
  ])('%s', async (_what, raw, status, code) => {
    expectProblem(await env.api('POST', path, { raw, headers: { 'content-type': 'application/json' } }), status, code)
  })

  test('11 MB without a length', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${env.apiKey}\r\n`
    const body = `${chunk.repeat(170)}0\r\n\r\n`
    const answer = await rawRequest(
      env.stack.url('gateway'),
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body}`,
    )
    expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large'])
  })

  test.each<[string, Record<string, string>]>([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another character set', { 'content-type': 'application/json; charset=latin1' }],
    ['compressed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('%s is 415', async (_what, headers) => {
    expectProblem(await env.api('POST', path, { raw: '{}', headers }), 415, 'unsupported_media_type')
  })

  test('a body without a Content-Type is 415', async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${env.apiKey}\r\n`
    const answer = await rawRequest(env.stack.url('gateway'), `${head}Content-Length: 2\r\n\r\n{}`)
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type'])
  })
})

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

describe('a template cannot hurt', () => {
  const content = (body: string, template_data: object = {}) => smsTo(phone, { body, template_data })

  test('a missing variable is named', async () => {
    const answer = await post(env, event({ data: { name: 'Ada' } }))
    expectProblem(answer, 422, 'template_variable_missing')
    expect(answer.body.detail).toContain('order')
    expect(answer.body.errors).toEqual([{ path: 'data.order', message: expect.any(String) }])
    const inContent = await post(env, content('Hi {{ first_name }}'))
    expectProblem(inContent, 422, 'template_variable_missing')
    expect(inContent.body.detail).toContain('first_name')
  })

  test.each([
    ['{{ constructor }}'],
    ['{{ __proto__ }}'],
    ['{{ toString }}'],
    ['{{ a.constructor.constructor }}'],
    ['{{ a.length.constructor }}'],
  ])('%s reaches no property that is not in the data', async (body) => {
    const { status, body: answer } = await post(env, content(body, { a: 'x' }))
    expect([status, answer.code]).toEqual([422, 'template_variable_missing'])
  })

  const long = 'x'.repeat(200_000)
  test.each<[string, string, object]>([
    ['an endless loop', '{% for i in (1..100000000) %}x{% endfor %}', {}],
    ['loops in loops', `${'{% for i in (1..99999) %}'.repeat(6)}x${'{% endfor %}'.repeat(6)}`, {}],
    ['a loop without output', '{% for i in (1..9999999) %}{% assign a = i %}{% endfor %}', {}],
    ['text that doubles', `{% assign s = "x" %}${'{% assign s = s | append: s %}'.repeat(60)}{{ s }}`, {}],
    ['padding in a date', "{{ '2026-01-01' | date: '%1000000000d' }}", {}],
    ['a pattern that is slow', '{{ a | strip_html }}', { a: '<script'.repeat(33_000) }],
    ['another', '{{ a | strip_html }}', { a: '<!--'.repeat(60_000) }],
    ['and another', '{{ a | strip_html }}', { a: '<'.repeat(240_000) }],
    ['much from little', '{{ a | replace: "x", a }}', { a: long }],
    ['a list of everything', '{{ a | split: "" | join: b }}', { a: long, b: 'y'.repeat(30_000) }],
    ['a file', '{% include "package.json" %}', {}],
    ['a file by another name', '{% render "package.json" %}', {}],
    ['a layout', '{% layout "package.json" %}', {}],
    ['a tag that is none', '{% exec "ls" %}', {}],
    ['a filter that is none', '{{ "x" | system }}', {}],
    ['an open tag', '{% if %}', {}],
    ['tags in tags', '{% if true %}'.repeat(1500), {}],
    ['brackets', `{{ ${'a['.repeat(5000)}0${']'.repeat(5000)} }}`, {}],
    ['text that grows too long', '{{ a }}', { a: 'x'.repeat(1601) }],
    ['nothing at all', '{{ a }}', { a: '' }],
    ['NUL made by a filter', '{{ a | url_decode }}', { a: '%00' }],
  ])('%s is 422 validation_failed, and not 503 at the end of the time for an answer', async (_what, body, data) => {
    expectProblem(await post(env, content(body, data)), 422, 'validation_failed')
  })
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

describe('unusual but valid requests are accepted', () => {
  let accepted: string[]
  beforeEach(() => {
    accepted = []
  })
  afterEach(async () => {
    // Accepted requests leave rows until they are delivered.
    expect(accepted.length).toBeGreaterThan(0)
    for (const id of accepted) await untilState(env, id, { delivery_status: 'delivered' })
    before = await effectsIn(env)
  })

  test('1600 characters, a string recipient, the shortest and the longest number', async () => {
    accepted.push(await send(env, freshPhone(), { body: 'x'.repeat(1600) }))
    for (const recipient of [freshPhone(), '+1234567', '+123456789012345']) {
      const { status, body } = await post(env, smsTo('', { recipient }))
      expect([status, body.channel]).toEqual([202, 'sms'])
      accepted.push(body.notification_id)
    }
    expect(new Set(accepted).size).toBe(4)
  })

  test('of duplicate keys the last counts, long numbers and odd names in data do no harm', async () => {
    const to = freshPhone()
    const raw = `{"channel":"email","channel":"sms","recipient":{"phone":"${to}"},"event_key":"order.shipped",
      "data":{"name":"Ada","order":9007199254740992,"share":0.12345678901234567890,"constructor":{"prototype":1}}}`
    const { status, body } = await env.api('POST', path, { raw })
    expect([status, body.channel]).toEqual([202, 'sms'])
    accepted.push(body.notification_id)
    expectProblem(await post(env, { ...event({}), data: { name: 'Ada' } }), 422, 'template_variable_missing')
  })

  test('an id of the caller is kept when it is sane, and replaced when it is not', async () => {
    const kept = await post(env, smsTo(phone), { headers: { 'x-request-id': 'order-7:retry.1' } })
    expect(kept.headers.get('x-request-id')).toBe('order-7:retry.1')
    const replaced = await post(env, smsTo(phone), { headers: { 'x-request-id': '<script>' } })
    expect(replaced.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    accepted.push(kept.body.notification_id, replaced.body.notification_id)
  })
})
