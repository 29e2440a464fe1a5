import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { asOperator, expectProblem } from '@notify/test-kit/api'
import { operatorToken } from '@notify/test-kit/callers'
import { freshAddress } from '@notify/test-kit/email'
import { freshPhone } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'consent'])
})
afterAll(() => env?.stop())

const call = (method: string, path: string, request: ApiRequest = {}) =>
  asOperator(env, method, `/api/v1${path}`, request)
const testEvent = (body: object, key = 'order.shipped') =>
  call('POST', `/applications/${env.applicationId}/events/${key}/test`, { body })
const data = { name: 'Ada', order: 'A-1' }

test('a test of an event reaches the own number, with the answer of the carrier, and is no notification', async () => {
  const phone = freshPhone()
  const { status, body } = await testEvent({ channel: 'sms', recipient: phone, data })
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      ...{ is_test: true, channel: 'sms', outcome: 'accepted', code: null, kind: 'twilio', locale: null },
      ...{ provider_message_id: expect.stringMatching(/^SM/), sms_segments: expect.objectContaining({ segments: 1 }) },
    }),
  ])
  const [message] = await env.messages({ to: phone })
  expect(message!.text).toContain('A-1')
  expect(JSON.stringify(body)).not.toContain(phone.slice(1))
  const { rows } = await env.sql('dispatch').query('select from notifications')
  expect(rows).toHaveLength(0)
  await eventually(async () => {
    const audit = await call('GET', '/audit-log?action=event.tested')
    expect(audit.body.items[0]).toMatchObject({ resource: { id: 'order.shipped' }, after: { channel: 'sms' } })
    expect(JSON.stringify(audit.body)).not.toContain(phone.slice(1))
  })
})

test('a refusal is shown with the code and words of the carrier', async () => {
  const { body } = await testEvent({ channel: 'sms', recipient: freshPhone('0003'), data })
  expect(body).toMatchObject({
    outcome: 'rejected_permanent',
    code: '21211',
    message: expect.stringContaining('21211'),
  })
})

test('unsaved templates are sent in the language that is asked for, and an email is marked as a test', async () => {
  const address = freshAddress()
  // The first email of a process loads the client of its carrier.
  const { body } = await eventually(async () => {
    const answer = await testEvent({
      ...{ channel: 'email', recipient: address, data: { n: 1234.5 }, locale: 'de' },
      templates: { email: { subject: 'Entwurf', body: 'Betrag {{ n | number }}' } },
    })
    expect(answer.body.outcome).toBe('accepted')
    return answer
  })
  expect(body).toMatchObject({ is_test: true, channel: 'email' })
  const [mail] = await env.messages({ to: address, channel: 'email' })
  expect([mail!.subject, mail!.text]).toEqual(['Entwurf', expect.stringContaining('1.234,5')])
  expect(JSON.stringify(mail!.request.body)).toContain('X-Test-Message')
})

test('a template with the links that every template has is sent as a test, with links that lead nowhere', async () => {
  const address = freshAddress()
  const body = 'Unsubscribe: {{ unsubscribe_url }} Choose: {{ preferences_url }}'
  const { status } = await testEvent({
    ...{ channel: 'email', recipient: address, data: {} },
    templates: { email: { subject: 'Draft', body } },
  })
  expect(status).toBe(200)
  const link = 'https://example.com/u/preview'
  await eventually(async () => {
    const [mail] = await env.messages({ to: address, channel: 'email' })
    expect(mail?.text).toContain(`Unsubscribe: ${link} Choose: ${link}`)
  })
})

test('a provider sends a sentence of its own', async () => {
  const { items } = (await call('GET', '/providers?channel=sms')).body
  const phone = freshPhone()
  const { status, body } = await call('POST', `/providers/${items[0].provider_id}/test-message`, {
    body: { recipient: phone },
  })
  expect([status, body.outcome, body.provider_id]).toEqual([200, 'accepted', items[0].provider_id])
  expect((await env.messages({ to: phone }))[0]!.text).toContain('test message of the provider')
})

test('a suppressed number, one without an opt-in and a bad one are refused as in a send', async () => {
  const phone = freshPhone()
  await call('POST', '/suppressions', { body: { channel: 'sms', recipient: phone } })
  expectProblem(await testEvent({ channel: 'sms', recipient: phone, data }), 422, 'recipient_suppressed')
  expectProblem(
    await testEvent({ channel: 'whatsapp', recipient: freshPhone(), data }),
    422,
    'whatsapp_opt_in_required',
  )
  expectProblem(await testEvent({ channel: 'sms', recipient: 'nobody', data }), 422, 'invalid_recipient')
  expectProblem(await testEvent({ channel: 'sms', recipient: freshPhone() }), 422, 'template_variable_missing')
  expectProblem(await testEvent({ channel: 'webhook', recipient: 'x', data }), 422, 'validation_failed')
  expectProblem(
    await testEvent({ channel: 'sms', recipient: freshPhone(), data }, 'never.heard'),
    404,
    'event_not_found',
  )
  expectProblem(
    await call('POST', '/providers/prov_01jd3x8qk5w9t2m4v6b8n0p2r4/test-message', { body: { recipient: phone } }),
    404,
    'not_found',
  )
  const token = operatorToken(env, { permissions: ['activity:read'] })
  const path = `/applications/${env.applicationId}/events/order.shipped/test`
  expectProblem(
    await call('POST', path, { token, body: { channel: 'sms', recipient: phone, data } }),
    403,
    'permission_denied',
  )
})

test('a tenant sends a few test messages a minute; an answer that is asked for again is not sent again', async () => {
  const phone = freshPhone()
  const path = `/applications/${env.applicationId}/events/order.shipped/test`
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { channel: 'sms', recipient: phone, data }
  const [first, again] = [await call('POST', path, { headers, body }), await call('POST', path, { headers, body })]
  expect([first.status, again.text]).toEqual([200, first.text])
  expect(await env.messages({ to: phone })).toHaveLength(1)
  for (let n = 0; n < 12; n++) {
    const answer = await testEvent({ channel: 'sms', recipient: freshPhone(), data })
    if (answer.status === 200) continue
    expectProblem(answer, 429, 'rate_limited')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    return
  }
  throw new Error('nothing was refused')
})
