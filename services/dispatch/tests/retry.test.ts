import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { retry, untilActivity } from '@notify/test-kit/activity'
import { expectProblem, stateOf, untilState } from '@notify/test-kit/api'
import { report } from '@notify/test-kit/callbacks'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone, send } from '@notify/test-kit/sms'

const carrierTimeoutMs = 6000

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-worker'],
    // The lane sends one message at a time: the one in flight keeps the others queued, until a retry and a receipt have come.
    env: {
      'dispatch-worker': { SEND_CONCURRENCY: '1', CARRIER_TIMEOUT: `${carrierTimeoutMs}ms`, UNKNOWN_GRACE: '200ms' },
    },
  })
})
afterAll(() => env?.stop())

async function auditOf(id: string): Promise<object[]> {
  const path = `/api/v1/audit-log?action=activity.retried&resource_id=${id}`
  return (await env.api('GET', path, { token: env.operatorToken })).body.items
}

async function undelivered(): Promise<string> {
  const id = await send(env, freshPhone('0002'))
  await untilActivity(env, id, { status: 'undelivered' })
  return id
}

const retrySeen = (id: string, retryCount: string) =>
  env.api('POST', `/api/v1/activity/${id}/retry?expected_retry_count=${retryCount}`, { token: env.operatorToken })

test('a retry is queued, sent again, counted, and the trail follows it', async () => {
  const to = freshPhone('0002')
  const id = await send(env, to)
  await untilActivity(env, id, { status: 'undelivered', retryable: true, retry_count: 0 })
  const { status, body } = await retry(env, id)
  expect([status, body]).toEqual([202, { status: 'retry_queued', transaction_id: id, queued_at: expect.any(String) }])
  expect(new Date(body.queued_at).toISOString()).toBe(body.queued_at)
  await untilActivity(env, id, { status: 'undelivered', retry_count: 1 })
  await eventually(async () => expect(await auditOf(id)).toMatchObject([{ after: { retry_count: 1 } }]))
  expect(await env.messages({ to })).toHaveLength(2)
  expect((await retry(env, id)).status).toBe(202)
  await untilActivity(env, id, { status: 'undelivered', retry_count: 2 })
  expect((await stateOf(env, id)).attempts).toHaveLength(3)
})

test('of many retries at the same moment one wins, the others are 409 retry_in_progress', async () => {
  const id = await undelivered()
  // Sent again meanwhile it would be undelivered again, and rightly retried.
  await env.kill('dispatch-worker', 'SIGSTOP')
  const answers = await Promise.all(Array.from({ length: 10 }, () => retry(env, id))).finally(() =>
    env.kill('dispatch-worker', 'SIGCONT'),
  )
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 202)) expectProblem(answer, 409, 'retry_in_progress')
  await untilActivity(env, id, { status: 'undelivered', retry_count: 1 })
})

test('a retry that names the retry_count that it expects is refused once another one was queued, also after that one failed', async () => {
  const id = await undelivered()
  expect((await retrySeen(id, '0')).status).toBe(202)
  await untilActivity(env, id, { status: 'undelivered', retry_count: 1, retryable: true })
  const stale = await retrySeen(id, '0')
  expectProblem(stale, 409, 'retry_in_progress')
  expect(stale.body.detail).toBe('Retry 1 of this message was requested already; read its result first')
  expect((await retrySeen(id, '1')).status).toBe(202)
  await untilActivity(env, id, { status: 'undelivered', retry_count: 2 })
  for (const bad of ['-1', '1.5', 'x', '', '1&expected_retry_count=2', '1&more=1']) {
    expectProblem(await retrySeen(id, bad), 422, 'validation_failed')
  }
})

test('with one Idempotency-Key all of them get the one answer, also later', async () => {
  const id = await undelivered()
  const headers = { 'idempotency-key': 'again-1' }
  const answers = await Promise.all(Array.from({ length: 5 }, () => retry(env, id, { headers })))
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(202))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter((one) => one.headers.get('idempotent-replayed') === 'true')).toHaveLength(4)
  await untilActivity(env, id, { status: 'undelivered', retry_count: 1 })
  const later = await retry(env, id, { headers })
  expect([later.status, later.text]).toEqual([202, answers[0]?.text])
  expect((await stateOf(env, id)).retry_count).toBe(1)
  const other = await undelivered()
  expect((await retry(env, other, { headers })).headers.get('idempotent-replayed')).toBeNull()
})

test('a message that is delivered, in flight or permanently refused is 409 not_retryable', async () => {
  const delivered = await send(env)
  const sent = await send(env, freshPhone('0008'))
  const refused = await send(env, freshPhone('0003'))
  await untilActivity(env, delivered, { status: 'delivered', retryable: false })
  await untilActivity(env, sent, { status: 'sent', retryable: false })
  await untilActivity(env, refused, { status: 'failed', retryable: false })
  for (const id of [delivered, sent, refused]) expectProblem(await retry(env, id), 409, 'not_retryable')
})

test('an unknown id, and another tenant’s, is 404; without activity:retry it is 403; without a token 401', async () => {
  const id = await undelivered()
  expectProblem(await retry(env, 'notif_01jd3x8qk5w9t2m4v6b8n0p2r4'), 404, 'not_found')
  expectProblem(await retry(env, 'whatever'), 404, 'not_found')
  const stranger = operatorToken(env, { tenant_id: await addEmptyTenant(env) })
  expectProblem(await retry(env, id, { token: stranger }), 404, 'not_found')
  expectProblem(await retry(env, id, { token: env.operatorTokenNoRetry }), 403, 'permission_denied')
  expectProblem(await env.api('POST', `/api/v1/activity/${id}/retry`), 403, 'permission_denied')
  expectProblem(await env.api('POST', `/api/v1/activity/${id}/retry`, { key: null }), 401, 'unauthenticated')
  expect((await stateOf(env, id)).retry_count).toBe(0)
})

test('a retry request needs no body and ignores an empty object', async () => {
  expect((await retry(env, await undelivered(), { body: {} })).status).toBe(202)
})

test('a late receipt of the first attempt does not take a retry that waits out of the queue', async () => {
  const id = await undelivered()
  const { attempts } = await stateOf(env, id)
  const first = { notificationId: id, attemptId: attempts[0].attempt_id }
  const blocking = await send(env, freshPhone('0005'))
  await untilState(env, blocking, { attempts: [{ number: 1 }] })
  expect((await retry(env, id)).status).toBe(202)
  await report(env, first, 'failed', { fields: { ErrorCode: '30005' } })
  await report(env, first, 'sent')
  await eventually(async () => {
    const { rows } = await env.admin.query('select from callbacks.outbox where published_at is null')
    expect(rows).toHaveLength(0)
  })
  // It was sent a second time, although something came in for the first time.
  const state = await untilState(env, id, { delivery_status: 'undelivered', attempts: [{}, { outcome: 'accepted' }] })
  expect([state.retry_count, state.attempts.length]).toEqual([1, 2])
})

test('delivered for the first attempt ends a retry that waits', async () => {
  const to = await eventually(async () => {
    const phone = freshPhone('0002')
    const id = await send(env, phone)
    await untilActivity(env, id, { status: 'undelivered' })
    const { attempts } = await stateOf(env, id)
    const blocking = await send(env, freshPhone('0005'))
    await untilState(env, blocking, { attempts: [{ number: 1 }] })
    expect((await retry(env, id)).status).toBe(202)
    await report(env, { notificationId: id, attemptId: attempts[0].attempt_id }, 'delivered')
    await untilActivity(env, id, { status: 'delivered', retry_count: 1, retryable: false })
    const [blocked] = (await stateOf(env, blocking)).attempts
    // A busy machine may take longer than the lane was blocked: then the retry did not wait.
    expect(Date.now() - Date.parse(blocked.started_at)).toBeLessThan(carrierTimeoutMs)
    return phone
  })
  // The lane is free again, and has passed it by.
  const later = await send(env)
  await untilActivity(env, later, { status: 'delivered' })
  expect(await env.messages({ to })).toHaveLength(1)
})
