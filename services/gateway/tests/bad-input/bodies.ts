import { describe, expect, test } from '@jest/globals'
import { expectProblem, post } from '@notify/test-kit/api'
import { rawRequest } from '@notify/test-kit/http'
import { smsTo } from '@notify/test-kit/sms'
import { env, event, nested, path, phone } from './stack.ts'

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
    [
      '300 KiB in half as many characters',
      JSON.stringify(smsTo(phone, { body: 'я'.repeat(153_600) })),
      413,
      'payload_too_large',
    ],
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
