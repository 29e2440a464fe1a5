import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { retry, untilActivity } from '@notify/test-kit/activity'
import { inAnHour, post, stateOf, untilState } from '@notify/test-kit/api'
import { report } from '@notify/test-kit/callbacks'
import { addKey } from '@notify/test-kit/callers'
import { refuses, type StubCarrier, startStubCarrier, takes } from '@notify/test-kit/carriers'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'

/** How long an unknown outcome waits for its receipt. */
const graceMs = 3000
let carrier: StubCarrier
let env: TestEnv
beforeAll(async () => {
  carrier = await startStubCarrier()
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-worker'],
    env: {
      'dispatch-worker': {
        TWILIO_API_URL: carrier.url,
        // Long enough for the carrier to answer on a busy machine.
        CARRIER_TIMEOUT: '5s',
        UNKNOWN_GRACE: `${graceMs}ms`,
        SEND_RETRY_DELAYS: '100ms,100ms',
      },
    },
  })
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})
const silence = () => {}
afterEach(() => {
  carrier.answer = silence
})

/** The carrier does this with the next message, and takes those that follow. */
function once(first: StubCarrier['answer']): void {
  carrier.answer = (response, form) => {
    carrier.answer = takes
    first(response, form)
  }
}

const outcomesOf = (state: { attempts: { outcome: string; ambiguous: boolean }[] }) =>
  state.attempts.map(({ outcome, ambiguous }) => [outcome, ambiguous])

/** What was published of the message, one status after the other. */
async function statusesOf(id: string): Promise<string[]> {
  const { rows } = await env.admin.query(
    `select subject from dispatch.outbox where subject like 'dispatch.notification.%' and events like '%' || $1 || '%'
     order by id`,
    [id],
  )
  return rows.map(({ subject }) => subject.split('.').at(-1))
}

test('a carrier that does not answer leaves the outcome unknown; after the grace it is tried again', async () => {
  once(silence)
  const id = await send(env)
  const state = await untilState(env, id, { delivery_status: 'sent' })
  expect(outcomesOf(state)).toEqual([
    ['unknown', true],
    ['accepted', false],
  ])
  const [first, second] = state.attempts
  expect(Date.parse(second.started_at) - Date.parse(first.finished_at)).toBeGreaterThanOrEqual(graceMs)
  expect(await statusesOf(id)).toEqual(['queued', 'sent'])
})

test('a callback within the grace settles the unknown attempt, and nothing is sent again', async () => {
  const reported = await eventually(async () => {
    const id = await send(env)
    const { attempts } = await untilState(env, id, { attempts: [{ outcome: 'unknown' }] })
    // On a busy machine the callback would come after the grace.
    const { rowCount } = await env.admin.query(
      `update dispatch.notifications set next_attempt_at = now() + interval '1 hour'
       where id = $1 and attempt_count = 1 and not sending and next_attempt_at is not null`,
      [id],
    )
    expect(rowCount).toBe(1)
    return { notificationId: id, attemptId: attempts[0].attempt_id }
  })
  await report(env, reported, 'sent')
  const id = reported.notificationId
  const state = await untilState(env, id, { delivery_status: 'sent' })
  expect(outcomesOf(state)).toEqual([['accepted', true]])
  const { rows } = await env.admin.query('select next_attempt_at from dispatch.notifications where id = $1', [id])
  expect(rows[0].next_attempt_at).toBeNull()
})

test('the bulk lane gives up instead of sending twice, says that the outcome is unknown, and may be retried', async () => {
  const phone = freshPhone()
  const id = await send(env, phone, { priority: 'bulk' })
  const item = await untilActivity(env, id, { status: 'failed', retryable: true, retry_count: 0 })
  expect(item.failure_reason).toMatch(/unknown/i)
  expect(carrier.received.filter((form) => form.get('To') === phone)).toHaveLength(1)
  carrier.answer = takes
  expect((await retry(env, id)).status).toBe(202)
  const state = await untilState(env, id, { delivery_status: 'sent', retry_count: 1, failure_reason: null })
  expect(outcomesOf(state)).toEqual([
    ['unknown', true],
    ['accepted', false],
  ])
})

test('silence to the last attempt of the schedule fails with the reason, retryable', async () => {
  const id = await send(env)
  const item = await untilActivity(env, id, { status: 'failed', retryable: true })
  expect(item.failure_reason).toMatch(/unknown/i)
  expect((await stateOf(env, id)).attempts).toHaveLength(3)
})

test('a worker killed during the call leaves an unknown attempt behind, which another takes up', async () => {
  const id = await send(env)
  await eventually(async () => expect((await stateOf(env, id)).attempts).toHaveLength(1))
  await env.kill('dispatch-worker')
  carrier.answer = takes
  await env.restart('dispatch-worker')
  const state = await untilState(env, id, { delivery_status: 'sent' })
  expect(outcomesOf(state)).toEqual([
    ['unknown', true],
    ['accepted', false],
  ])
})

test('a fault of our own before the call leaves no attempt behind: nobody was called, and that is known', async () => {
  const calls = carrier.received.length
  const faults = async () => {
    const metrics = await (await fetch(new URL('/metrics', env.stack.metricsUrls['dispatch-worker']))).text()
    const counts = [...metrics.matchAll(/^notify_put_back_total\{[^}]*cause="fault"[^}]*\} (\d+)/gm)]
    expect(counts).not.toEqual([])
    return counts.reduce((sum, [, count]) => sum + Number(count), 0)
  }
  const before = await faults()
  const id = await send(env, freshPhone(), { send_at: inAnHour() })
  const hide = 'alter table dispatch.providers rename to providers_away'
  const show = 'alter table dispatch.providers_away rename to providers'
  await env.admin.query(hide)
  try {
    // Due when the worker has forgotten the providers, which it remembers for a second.
    await env.admin.query(
      `update dispatch.notifications set next_attempt_at = now() + interval '1100 ms' where id = $1`,
      [id],
    )
    await eventually(async () => expect(await faults()).toBeGreaterThan(before))
    // The worker counts it, and then takes the attempt back.
    await eventually(async () => expect((await stateOf(env, id)).attempts).toEqual([]))
    carrier.answer = takes
  } finally {
    await env.admin.query(show)
  }
  const state = await untilState(env, id, { delivery_status: 'sent' })
  expect(outcomesOf(state)).toEqual([['accepted', false]])
  expect(carrier.received.length).toBe(calls + 1)
})

test('an answer with characters that cannot be kept costs neither its message nor another one', async () => {
  carrier.answer = (response) => refuses(400, 21699, 'no\0thing \ud800')(response)
  const [one, other] = [await send(env), await send(env)]
  for (const id of [one, other]) {
    await untilState(env, id, {
      delivery_status: 'failed',
      failure_reason: '21699 no thing \ufffd',
      attempts: [{ outcome: 'rejected_permanent' }],
    })
  }
})

describe("the carrier's account of a failure", () => {
  test('a connection that is cut without an answer is an unknown outcome', async () => {
    once((response) => response.destroy())
    const id = await send(env)
    const state = await untilState(env, id, { delivery_status: 'sent' })
    expect(outcomesOf(state)).toEqual([
      ['unknown', true],
      ['accepted', false],
    ])
    expect(await statusesOf(id)).toEqual(['queued', 'sent'])
  })

  test('an answer that is not JSON is an outcome like any other', async () => {
    once((response) => response.writeHead(503).end('<html>maintenance</html>'))
    const state = await untilState(env, await send(env), { delivery_status: 'sent' })
    expect(outcomesOf(state).map(([outcome]) => outcome)).toEqual(['rejected_retryable', 'accepted'])
  })

  test('refused credentials fail the message after its schedule; once they are mended it may be retried', async () => {
    carrier.answer = refuses(401, 20003, 'Authenticate')
    const reason = '20003 The account credentials were refused'
    await untilActivity(env, await send(env), { status: 'failed', failure_reason: reason, retryable: true })
  })

  test('a number in the error message of the carrier is stored nowhere', async () => {
    const phone = freshPhone()
    carrier.answer = refuses(400, 21608, `The number ${phone} is unverified. Trial accounts cannot send to it.`)
    const item = await untilActivity(env, await send(env, phone), { status: 'failed' })
    expect(item.failure_reason).toMatch(/^21608 .*unverified/)
    expect(JSON.stringify([item, (await stateOf(env, item.transaction_id)).attempts])).not.toContain(phone.slice(1))
  })
})

test('messages of an sk_test_ key go to the sandbox alone, wherever the live ones go', async () => {
  const { apiKey } = await addKey(env, env, { mode: 'test' })
  const calls = carrier.received.length
  const phone = freshPhone()
  const { body } = await post(env, smsTo(phone), { key: apiKey })
  await eventually(async () => {
    const state = await env.api('GET', `/api/v1/notifications/${body.notification_id}`, { key: apiKey })
    expect(state.body.delivery_status).toBe('delivered')
  })
  expect(await env.messages({ to: phone })).toHaveLength(1)
  expect(carrier.received.length).toBe(calls)
})
