import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { retry, untilActivity } from '@notify/test-kit/activity'
import { becomeDue, inAnHour, untilState } from '@notify/test-kit/api'
import { changeProviders, refuses, type StubCarrier, startStubCarrier, takes } from '@notify/test-kit/carriers'
import { freshPhone, send, sendUntilTaken } from '@notify/test-kit/sms'

/** Long enough that circuit breakers open before a message has used up its schedule. */
const delayMs = 2000
const secondId = newId('prov')
let firstId: string
let carrier: StubCarrier
let env: TestEnv
beforeAll(async () => {
  carrier = await startStubCarrier()
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-api', 'dispatch-worker'],
    env: {
      'dispatch-worker': {
        TWILIO_API_URL: carrier.url,
        CARRIER_TIMEOUT: '5s',
        UNKNOWN_GRACE: '700ms',
        SEND_RETRY_DELAYS: `${delayMs}ms,${delayMs}ms`,
      },
    },
  })
  firstId = env.stack.state.twilio_provider_id
  await changeProviders(env, (providers) => {
    const twilio = providers.find(({ provider_id }) => provider_id === firstId)!
    return [...providers, { ...twilio, provider_id: secondId, name: 'The second one', priority: 2 }]
  })
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})

type Answer = (response: ServerResponse) => void
const silence: Answer = () => {}
/** Nobody learns what became of the message. */
const cut: Answer = (response) => void response.destroy()

/** What the two providers' carriers do from now on. */
function answer(first: Answer, second: Answer): void {
  carrier.answer = (response, form) => (providerOf(form) === firstId ? first : second)(response)
}
const providerOf = (form: URLSearchParams) => new URL(form.get('StatusCallback')!).searchParams.get('provider_id')
beforeEach(() => answer(takes, takes))

type Attempt = Record<'provider_id' | 'outcome' | 'provider_code' | 'started_at' | 'finished_at', string>
/** Attempts as `1 rejected_retryable 20003`. */
const trail = ({ attempts }: { attempts: Attempt[] }) =>
  attempts.map(({ provider_id, outcome, provider_code }) =>
    [provider_id === firstId ? 1 : 2, outcome, ...(provider_code ? [provider_code] : [])].join(' '),
  )

test('the provider with the first priority sends, as long as it can', async () => {
  expect(trail(await untilState(env, await send(env), { delivery_status: 'sent' }))).toEqual(['1 accepted'])
})

test.each<[string, Answer, string]>([
  ['refuses the account', refuses(401, 20003, 'Authenticate'), '20003'],
  ['has lost the number of its sender', refuses(400, 21660, 'Mismatch of From and account'), '21660'],
  ['fails', refuses(503, 20500, 'Internal'), '20500'],
  ['asks for a pause of an hour', refuses(429, 20429, 'Too many', { 'retry-after': '3600' }), '20429'],
])('when the first provider %s the next one sends at once, in an attempt of its own', async (_what, first, code) => {
  answer(first, takes)
  const state = await untilState(env, await send(env), { delivery_status: 'sent', failure_reason: null })
  expect(trail(state)).toEqual([`1 rejected_retryable ${code}`, '2 accepted'])
  // It did not wait for a step of the schedule.
  const { rows } = await env.admin.query('select round_attempts from dispatch.notifications where id = $1', [
    state.notification_id,
  ])
  expect(rows).toEqual([{ round_attempts: 1 }])
})

test('a provider that asked for a pause is left alone while another one can send', async () => {
  const state = await untilState(env, await send(env), { delivery_status: 'sent' })
  expect(trail(state)).toEqual(['2 accepted'])
  await renewFirst()
})

/** Other credentials: whatever was known of the account is forgotten. */
async function renewFirst(): Promise<void> {
  const token = crypto.randomUUID()
  await changeProviders(env, (providers) =>
    providers.map((one) =>
      one.provider_id === firstId ? { ...one, credentials: { ...one.credentials, auth_token: token } } : one,
    ),
  )
  // The worker receives it within a second.
  await eventually(async () => {
    const [attempt] = trail(await untilState(env, await send(env), { delivery_status: 'sent' }))
    expect(attempt).toBe('1 accepted')
  })
}

test('a message that one provider refuses permanently is offered to no other', async () => {
  answer(refuses(400, 21211, "Invalid 'To'"), takes)
  const state = await untilState(env, await send(env), { delivery_status: 'failed', retryable: false })
  expect(trail(state)).toEqual(['1 rejected_permanent 21211'])
})

test('an unknown outcome is offered to no other before its grace is over, and then to the other', async () => {
  answer(cut, takes)
  const state = await untilState(env, await send(env), { delivery_status: 'sent' })
  expect(trail(state).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['1 unknown', '2 accepted'])
  const [unknown, taken] = state.attempts
  expect(Date.parse(taken.started_at) - Date.parse(unknown.finished_at)).toBeGreaterThanOrEqual(700)
})

test('when all refuse, the message waits its schedule, restarts with the first, and fails only when the schedule is used up', async () => {
  answer(refuses(503, 20500, 'Internal'), refuses(503, 20500, 'Internal'))
  const id = await send(env)
  const state = await untilState(env, id, { delivery_status: 'failed', retryable: true })
  const pass = ['1 rejected_retryable 20500', '2 rejected_retryable 20500']
  expect(trail(state)).toEqual([...pass, ...pass, ...pass])
  answer(refuses(503, 20500, 'Internal'), takes)
  expect((await retry(env, id)).status).toBe(202)
  const again = await untilState(env, id, { delivery_status: 'sent', failure_reason: null })
  expect(trail(again).slice(6)).toEqual(['1 rejected_retryable 20500', '2 accepted'])
})

test('a worker killed during the second provider’s call calls nobody twice for what was refused', async () => {
  answer(refuses(401, 20003, 'Authenticate'), silence)
  const before = carrier.received.length
  const id = await send(env)
  await eventually(() => expect(carrier.received.slice(before).map(providerOf)).toEqual([firstId, secondId]))
  await env.kill('dispatch-worker')
  answer(takes, takes)
  await env.restart('dispatch-worker')
  const state = await untilState(env, id, { delivery_status: 'sent' })
  expect(state.attempts.map(({ outcome }: Attempt) => outcome)).toEqual(['rejected_retryable', 'unknown', 'accepted'])
})

describe('suppression', () => {
  const suppressing = (recipient: string) =>
    env.api('POST', '/api/v1/suppressions', { token: env.operatorToken, body: { channel: 'sms', recipient } })

  test('a recipient suppressed between acceptance and sending gets no message, and the trail shows why', async () => {
    const phone = freshPhone()
    const id = await send(env, phone, { send_at: inAnHour() })
    expect((await suppressing(phone)).status).toBeLessThan(300)
    await becomeDue(env, id)
    const item = await untilActivity(env, id, { status: 'failed', retryable: false })
    expect(item.failure_reason).toMatch(/^recipient_suppressed: .*manual/)
    expect(carrier.received.filter((form) => form.get('To') === phone)).toEqual([])
    expect((await untilState(env, id, { delivery_status: 'failed' })).attempts).toEqual([])
  })

  test('a carrier that says that the recipient has unsubscribed is believed: nothing is sent there again', async () => {
    answer(refuses(400, 21610, 'unsubscribed'), takes)
    const phone = freshPhone()
    const id = await send(env, phone)
    await untilState(env, id, { delivery_status: 'failed', retryable: false, attempts: [{ provider_code: '21610' }] })
    const { rows } = await env.admin.query(
      'select reason, channel from dispatch.suppressions where source_notification_id = $1 and lifted_at is null',
      [id],
    )
    expect(rows).toEqual([{ reason: 'stop', channel: 'sms' }])
  })
})

test('while every circuit breaker is open messages stay queued and none fails; once one closes all are sent', async () => {
  await renewFirst()
  answer(refuses(503, 20500, 'Internal'), refuses(503, 20500, 'Internal'))
  // Due together: while a busy machine accepts the last ones, the first would use up their schedule.
  const ids = await Promise.all(
    Array.from({ length: 60 }, () => sendUntilTaken(env, freshPhone(), { send_at: inAnHour() })),
  )
  await becomeDue(env, ...ids)
  const states = async () => {
    const { rows } = await env.admin.query(
      'select status, count(*)::int as count from dispatch.notifications where id = any ($1) group by status',
      [ids],
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }
  const heldBack = async () => {
    const text = await (await fetch(env.stack.metricsUrls['dispatch-worker']!)).text()
    return text.split('\n').filter((line) => /^notify_provider_held_back\{.* 1$/.test(line)).length
  }
  await eventually(async () => expect(await heldBack()).toBe(2))
  const calls = carrier.received.length
  const late = await send(env)
  const held = 'select from dispatch.held_queues'
  await eventually(async () => expect((await env.admin.query(held)).rowCount).toBe(1))
  expect((await untilState(env, late, { delivery_status: 'queued' })).attempts).toEqual([])
  // Nobody is called but to see whether it works again; a call of each may have been under way.
  expect(carrier.received.length).toBeLessThanOrEqual(calls + ids.length)
  answer(takes, takes)
  await eventually(async () => expect(await states()).toEqual({ sent: ids.length }))
  expect(await heldBack()).toBeLessThan(2)
  await eventually(async () => expect((await env.admin.query(held)).rowCount).toBe(0))
})
