import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../../packages/contracts/src/index.ts'
import { TestEnv } from '../../../packages/dev-env/src/index.ts'
import { expectProblem, freshPhone, smsTo, storedRows, untilState } from '../../../tests/flows/sms.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'])
})
afterAll(() => env?.stop())

const batch = (requests: unknown, headers: Record<string, string> = {}) =>
  env.api('POST', '/api/v1/notifications/batch', { body: { requests }, headers })

test('each request of a batch is accepted or refused alone, in their order', async () => {
  const { status, body } = await batch([
    smsTo(freshPhone()),
    smsTo('not a phone'),
    { channel: 'sms', recipient: freshPhone(), event_key: 'no.such.event' },
    7,
    smsTo(freshPhone(), { colour: 'red' }),
    { channel: 'sms', recipient: freshPhone(), event_key: 'order.shipped', data: { name: 'Ada', order: 'A-1' } },
  ])
  expect(status).toBe(202)
  expect(
    body.results.map((result: { status?: string; error?: { code: string } }) => result.error?.code ?? result.status),
  ).toEqual(['accepted', 'invalid_recipient', 'event_not_found', 'validation_failed', 'validation_failed', 'accepted'])
  for (const place of [0, 5]) {
    await untilState(env, body.results[place].notification_id, { delivery_status: 'delivered' })
  }
})

test.each([
  ['a NUL character', 'a\0b'],
  ['half of a surrogate pair', '\ud83d'],
])('a request with %s is refused as it would be alone, and the others are not', async (_what, text) => {
  const request = smsTo(freshPhone(), { body: text })
  const alone = await env.api('POST', '/api/v1/notifications', { body: request })
  expectProblem(alone, 422, 'validation_failed')
  const { status, body } = await batch([request, smsTo(freshPhone())], { 'idempotency-key': newId('req') })
  expect(status).toBe(202)
  const { detail, errors } = alone.body
  expect(body.results).toMatchObject([
    { error: { status: 422, code: 'validation_failed', detail, errors } },
    { status: 'accepted' },
  ])
})

test('a batch under an Idempotency-Key is taken once and answered byte for byte, its refusals too', async () => {
  const requests = [smsTo(freshPhone()), smsTo('nobody')]
  const headers = { 'idempotency-key': 'batch-1' }
  const answers = await Promise.all(Array.from({ length: 5 }, () => batch(requests, headers)))
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(202))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter((one) => one.headers.get('idempotent-replayed') === 'true')).toHaveLength(4)
  expectProblem(await batch([smsTo(freshPhone())], headers), 409, 'idempotency_conflict')
  await untilState(env, answers[0]!.body.results[0].notification_id, { delivery_status: 'delivered' })
})

test.each([
  ['none', []],
  ['more than 100', Array.from({ length: 101 }, () => smsTo(freshPhone()))],
  ['no list', { channel: 'sms' }],
  ['nothing', undefined],
])('a batch of %s is validation_failed and stores nothing', async (_what, requests) => {
  const before = await storedRows(env)
  expectProblem(await batch(requests), 422, 'validation_failed')
  expect(await storedRows(env)).toEqual(before)
})

test('a key that may not send may not send many', async () => {
  const answer = await env.api('POST', '/api/v1/notifications/batch', {
    body: { requests: [smsTo(freshPhone())] },
    token: env.apiKeyNoPermissions,
  })
  expectProblem(answer, 403, 'permission_denied')
})
