import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type ApiRequest, type ApiResponse, TestEnv } from '@notify/dev-env'
import { asOperator, untilAvailable } from '@notify/test-kit/api'
import { callbackAddress, demoAccount, postForm, signature, statusFields } from '@notify/test-kit/callbacks'
import { operatorToken } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
let templateId: string
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
  const body = { name: 'Short', templates: { sms: { body: '{{ text }}' } } }
  templateId = (await env.api('POST', '/api/v1/templates', { token: env.operatorToken, body })).body.template_id
})
afterAll(() => env?.stop())

const at = (name: string, value: unknown = 'x') => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`
/** JSON with a field of this name, which an object literal could not have. */
const smsWith = (field: string, json: string) =>
  `${JSON.stringify(smsTo(freshPhone())).slice(0, -1)},"${field}":${json}}`
const sending = (raw: string, headers = {}) => env.api('POST', '/api/v1/notifications', { raw, headers })
const operating = (method: string, path: string, request: ApiRequest = {}) =>
  asOperator(env, method, `/api/v1/${path}`, request)

const sns = (fields: object) =>
  env.api('POST', `/api/v1/callbacks/email/${env.stack.state.ses_provider_id}`, {
    key: null,
    headers: { 'content-type': 'text/plain' },
    raw: JSON.stringify({
      Type: 'Notification',
      MessageId: crypto.randomUUID(),
      TopicArn: 'arn:aws:sns:us-east-1:123456789012:email-events',
      Message: '{}',
      Timestamp: new Date().toISOString(),
      SignatureVersion: '2',
      Signature: '',
      SigningCertURL: '',
      ...fields,
    }),
  })

function signedForm(fields: Record<string, string>): Promise<ApiResponse> {
  const account = demoAccount(env)
  const address = callbackAddress({ notificationId: 'notif_x', attemptId: 'att_x' }, account)
  const signed = signature(account.authToken, env.stack.url('gateway') + address, fields)
  return postForm(env, { fields, address, signed })
}

/** The same at each repetition, as its key requires. */
const keyed = smsWith('metadata', '{}')

/** Every input in which callers and carriers choose a name, and the status for such a name. */
const inputs: [string, number, (name: string) => Promise<ApiResponse>][] = [
  ['channel', 422, (name) => sending(JSON.stringify(smsTo(freshPhone(), { channel: name })))],
  ['priority', 422, (name) => sending(JSON.stringify(smsTo(freshPhone(), { priority: name })))],
  ['field', 422, (name) => sending(smsWith(name, '1'))],
  ['field of the recipient', 422, (name) => sending(smsWith('recipient', at(name)))],
  ['template', 422, (name) => sending(smsWith('template_id', JSON.stringify(name)))],
  ['Idempotency-Key', 202, (name) => sending(keyed, { 'idempotency-key': name })],
  ['X-Request-Id', 202, (name) => sending(smsWith('metadata', '{}'), { 'x-request-id': name })],
  ['header', 202, (name) => sending(smsWith('metadata', '{}'), { [name]: 'x' })],
  ['value of Accept', 406, (name) => sending(smsWith('metadata', '{}'), { accept: name })],
  ['media type', 415, (name) => sending('{}', { 'content-type': name })],
  ['id', 404, (name) => env.api('GET', `/api/v1/notifications/${name}`)],
  ['path', 404, (name) => env.api('GET', `/api/v1/${name}`)],
  ['query', 422, (name) => operating('GET', `activity?${name}=1`)],
  ['filter', 422, (name) => operating('GET', `activity?channel=${name}`)],
  ['cursor', 422, (name) => operating('GET', `activity?cursor=${name}`)],
  ['reason', 422, (name) => operating('GET', `suppressions?reason=${name}`)],
  [
    'channel of a suppression',
    422,
    (name) => operating('POST', 'suppressions', { body: { channel: name, recipient: 'x' } }),
  ],
  [
    'channel of a template',
    422,
    (name) => operating('POST', 'templates', { raw: `{"name":"x","templates":${at(name, {})}}` }),
  ],
  [
    'application',
    422,
    (name) =>
      operating('POST', 'templates', { body: { name: 'x', templates: { sms: { body: 'x' } }, application_id: name } }),
  ],
  [
    'channel of a preview',
    422,
    (name) => operating('POST', `templates/${templateId}/preview`, { body: { channel: name } }),
  ],
  ['domain', 422, (name) => operating('POST', 'domains', { body: { domain: name } })],
  [
    'permission of a token',
    403,
    (name) => operating('GET', 'activity', { token: operatorToken(env, { permissions: [name] }) }),
  ],
  [
    'tenant of a token',
    403,
    (name) => operating('GET', 'activity', { token: operatorToken(env, { tenant_id: name }) }),
  ],
  ['type of a token', 401, (name) => operating('GET', 'activity', { token: operatorToken(env, {}, { typ: name }) })],
  [
    'algorithm of a token',
    401,
    (name) => operating('GET', 'activity', { token: operatorToken(env, {}, { alg: name }) }),
  ],
  ['key of a token', 401, (name) => operating('GET', 'activity', { token: operatorToken(env, {}, { kid: name }) })],
  ['version of a signature', 403, (name) => sns({ SignatureVersion: name })],
  ['type of an SNS message', 422, (name) => sns({ Type: name })],
  [
    'provider of a callback',
    404,
    (name) => env.api('POST', `/api/v1/callbacks/email/${name}`, { key: null, raw: '{}' }),
  ],
  [
    'field of a signed form',
    200,
    (name) => signedForm({ ...statusFields(demoAccount(env), 'sent'), ...JSON.parse(at(name)) }),
  ],
  ['status of a signed form', 200, (name) => signedForm(statusFields(demoAccount(env), name))],
  ['account of a form', 422, (name) => signedForm({ ...statusFields(demoAccount(env), 'sent'), AccountSid: name })],
]

describe.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is an ordinary name', (name) => {
  test.each(inputs)('as %s: %i', async (_input, status, ask) => {
    const answer = await untilAvailable(() => ask(name))
    expect([answer.status, answer.body.code]).not.toEqual([500, 'internal_error'])
    expect(answer.status).toBe(status)
  })

  test('as a variable and in metadata, without showing inherited properties', async () => {
    const answerTo = (raw: string) => untilAvailable(() => sending(raw))
    const refused = name === '__proto__' ? 422 : 202
    expect((await answerTo(smsWith('metadata', at(name)))).status).toBe(refused)
    expect((await answerTo(smsWith('template_data', at(name)))).status).toBe(refused)
    const filled = smsTo(freshPhone(), { body: `{{ ${name} }}`, template_data: {} })
    expect((await answerTo(JSON.stringify(filled))).body.code).toBe('template_variable_missing')
    const event = { channel: 'sms', event_key: name, recipient: freshPhone() }
    expect((await answerTo(JSON.stringify(event))).status).toBe(name.startsWith('_') ? 422 : 404)
  })
})
