import { expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { acceptedRows, expectProblem, untilState } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { within } from '@notify/test-kit/within'
import { env } from './stack.ts'

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
  const before = await acceptedRows(env)
  expectProblem(await batch(requests), 422, 'validation_failed')
  expect(await acceptedRows(env)).toEqual(before)
})

test('a key that may not send may not send many', async () => {
  const answer = await env.api('POST', '/api/v1/notifications/batch', {
    body: { requests: [smsTo(freshPhone())] },
    token: env.apiKeyNoPermissions,
  })
  expectProblem(answer, 403, 'permission_denied')
})

test('an internal failure is retried under the same Idempotency-Key, and nothing is accepted twice', async () => {
  const phones = [freshPhone(), freshPhone(), freshPhone()]
  const headers = { 'idempotency-key': 'batch-partly' }
  const requests = [
    smsTo(phones[0]!),
    { channel: 'sms', recipient: phones[1], event_key: 'order.broken', data: {} },
    smsTo('nobody'),
    smsTo(phones[2]!),
  ]
  // An event that no version of ours has written: reading it fails.
  const setTemplates = (templates: object) =>
    env.admin.query(
      `insert into dispatch.events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates)
       select tenant_id, application_id, 'order.broken', name, status, version, allowed_channels, $1
       from dispatch.events where event_key = 'order.shipped'
       on conflict (application_id, event_key) do update set templates = excluded.templates`,
      [templates],
    )
  await setTemplates({ sms: { body: null } })
  const codes = (results: { error?: { code: string }; status?: string }[]) =>
    results.map(({ error, status }) => error?.code ?? status)
  const first = await batch(requests, headers)
  expect([first.status, codes(first.body.results)]).toEqual([
    202,
    ['accepted', 'internal_error', 'invalid_recipient', 'accepted'],
  ])
  const again = await batch(requests, headers)
  expect(again.headers.get('idempotent-replayed')).toBeNull()
  expect(again.body.results).toEqual(first.body.results)
  expectProblem(await batch([smsTo(freshPhone())], headers), 409, 'idempotency_conflict')
  await setTemplates({ sms: { body: 'Now it can be read' } })
  const whole = await eventually(async () => {
    const answer = await batch(requests, headers)
    expect(codes(answer.body.results)).toEqual(['accepted', 'accepted', 'invalid_recipient', 'accepted'])
    return answer
  })
  for (const place of [0, 2, 3]) expect(whole.body.results[place]).toEqual(first.body.results[place])
  const replay = await batch(requests, headers)
  expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([whole.text, 'true'])
  for (const place of [0, 1, 3]) {
    await untilState(env, whole.body.results[place].notification_id, { delivery_status: 'delivered' })
  }
  for (const phone of phones) expect(await env.messages({ to: phone })).toHaveLength(1)
})

test('a batch without any judged item is refused as a whole, and its key is free', async () => {
  const requests = [smsTo(freshPhone()), smsTo(freshPhone())]
  const rename = (from: string, to: string) => env.admin.query(`alter table dispatch.${from} rename to ${to}`)
  await rename('providers', 'providers_away')
  // Providers are remembered for a second.
  const headers = await eventually(async () => {
    const key = { 'idempotency-key': newId('req') }
    expectProblem(await batch(requests, key), 500, 'internal_error')
    return key
  })
  await rename('providers_away', 'providers')
  const { status, body } = await batch([requests[0]], headers)
  expect([status, body.results?.[0]?.status]).toEqual([202, 'accepted'])
})

test('a request delayed by a locked table is 503 in time, and the 503 is not stored for its Idempotency-Key', async () => {
  const headers = { 'idempotency-key': newId('req') }
  const requests = Array.from({ length: 5 }, () => smsTo(freshPhone()))
  const client = await env.admin.connect()
  try {
    await client.query('begin; lock table dispatch.notifications in share row exclusive mode')
    const before = await acceptedRows(env)
    const single = (key: Record<string, string>) =>
      env.api('POST', '/api/v1/notifications', { body: smsTo(freshPhone()), headers: key })
    const answers = await within(
      env,
      6000,
      () => batch(requests, headers),
      ...Array.from({ length: 20 }, (_, i) => () => single(i % 2 === 0 ? {} : { 'idempotency-key': newId('req') })),
    )
    for (const answer of answers) {
      expectProblem(answer, 503, 'service_unavailable')
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect(await acceptedRows(env)).toEqual(before)
  } finally {
    await client.query('rollback')
    client.release()
  }
  await eventually(async () => {
    const { status, body } = await batch(requests, headers)
    expect([status, body.results?.map((one: { status?: string }) => one.status)]).toEqual([
      202,
      Array(5).fill('accepted'),
    ])
  })
})
