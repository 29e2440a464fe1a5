import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { post, stateOf, untilState } from '@notify/test-kit/api'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: { 'dispatch-worker': { SEND_RETRY_DELAYS: '100ms,100ms,200ms', CARRIER_TIMEOUT: '3s' } },
  })
})
afterAll(() => env?.stop())

test('an event becomes the text of its template, signed for by the account, and is delivered', async () => {
  const to = freshPhone()
  const { status, body } = await post(env, {
    channel: 'sms',
    event_key: 'order.shipped',
    recipient: { phone: to },
    data: { name: 'Zoë', order: 'A-17' },
    metadata: { order: 'A-17' },
  })
  expect([status, body]).toEqual([
    202,
    {
      status: 'accepted',
      notification_id: expect.stringMatching(/^notif_[0-9a-hjkmnp-tv-z]{26}$/),
      channel: 'sms',
      delivery_status: 'queued',
    },
  ])
  const state = await untilState(env, body.notification_id, { delivery_status: 'delivered' })
  expect(state).toMatchObject({ event_key: 'order.shipped', metadata: { order: 'A-17' }, retryable: false, credits: 1 })
  expect(state.attempts).toEqual([
    expect.objectContaining({ number: 1, outcome: 'accepted', ambiguous: false, provider_code: null }),
  ])
  const [message, ...more] = await env.messages({ to })
  expect(more).toEqual([])
  expect(message).toMatchObject({ text: 'Hi Zoë, your order A-17 is on its way.', from: '+15005550006' })
  expect(message?.provider_message_id).toBe(state.attempts[0].provider_message_id)
})

test('content goes out as it was written, and through Liquid only with template_data', async () => {
  const [plain, filled] = [freshPhone(), freshPhone()]
  const body = 'Hi {{ name }} 🙂\n"quoted" & <b>bold</b>'
  await send(env, plain, { body })
  await send(env, filled, { body, template_data: { name: 'Łukasz <3' } })
  const text = async (to: string) => (await env.messages({ to }))[0]?.text
  await eventually(async () => expect(await text(plain)).toBe(body))
  await eventually(async () => expect(await text(filled)).toBe(body.replace('{{ name }}', 'Łukasz <3')))
})

describe("the carrier's outcome decides the state", () => {
  test('sent, then undelivered with 30003: undelivered, with the reason, retryable', async () => {
    const id = await send(env, freshPhone('0002'))
    const item = { status: 'undelivered', failure_reason: '30003 Unreachable destination handset', retryable: true }
    await untilActivity(env, id, item)
  })

  test('refused with 21211: failed after one attempt, not retryable', async () => {
    const id = await send(env, freshPhone('0003'))
    const reason = "21211 Invalid 'To' phone number"
    const state = await untilState(env, id, { delivery_status: 'failed', failure_reason: reason, retryable: false })
    expect(state.attempts).toEqual([
      expect.objectContaining({ outcome: 'rejected_permanent', provider_code: '21211', provider_message_id: null }),
    ])
  })

  test('429 twice with Retry-After: the wait is kept, the third attempt goes through, one message arrives', async () => {
    const to = freshPhone('0004')
    const state = await untilState(env, await send(env, to), { delivery_status: 'delivered' })
    const outcomes = state.attempts.map(({ outcome }: { outcome: string }) => outcome)
    expect(outcomes).toEqual(['rejected_retryable', 'rejected_retryable', 'accepted'])
    const [first, second, third] = state.attempts.map((one: { started_at: string }) => Date.parse(one.started_at))
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(1000)
    expect(await env.messages({ to })).toHaveLength(1)
  })

  test('accepted but never answered: the callbacks settle it, nothing is sent twice', async () => {
    const to = freshPhone('0005')
    const id = await send(env, to)
    await untilActivity(env, id, { status: 'delivered' })
    // The call itself ends later, by its timeout, and must not undo the callbacks' reports.
    const ended = new RegExp(`"notification_id":"${id}".*"outcome":"unknown"`)
    await eventually(() => expect(env.logs('dispatch-worker')).toMatch(ended))
    const state = await stateOf(env, id)
    expect([state.delivery_status, state.retryable]).toEqual(['delivered', false])
    expect(state.attempts).toEqual([expect.objectContaining({ outcome: 'accepted' })])
    expect(await env.messages({ to })).toHaveLength(1)
  })

  test('503 every time: failed after the whole schedule, retryable', async () => {
    const state = await untilState(env, await send(env, freshPhone('0006')), {
      delivery_status: 'failed',
      retryable: true,
    })
    expect(state.attempts).toHaveLength(4)
    expect(state.failure_reason).toBeTruthy()
  })

  test('callbacks twice and out of order: delivered', async () => {
    const id = await send(env, freshPhone('0007'))
    const { attempts } = await untilState(env, id, { delivery_status: 'delivered', failure_reason: null })
    const received = 'select from callbacks.received_callbacks where provider_message_id = $1'
    await eventually(async () => {
      expect((await env.admin.query(received, [attempts[0].provider_message_id])).rowCount).toBe(2)
    })
    const { rows } = await env.admin.query('select revision from dispatch.notifications where id = $1', [id])
    // queued, (sent,) delivered: what comes late is no change.
    expect(rows[0].revision).toBeLessThanOrEqual(3)
  })

  test('no callback: sent', async () => {
    await untilActivity(env, await send(env, freshPhone('0008')), { status: 'sent', retryable: false })
  })
})

test('the bulk lane is served beside the transactional one', async () => {
  const id = await send(env, freshPhone(), { priority: 'bulk' })
  await untilState(env, id, { delivery_status: 'delivered' })
  const { rows } = await env.admin.query('select lane from dispatch.notifications where id = $1', [id])
  expect(rows[0].lane).toBe('bulk')
})

test('an event that is unknown, a draft, inactive or another application’s is 404; one without sms is 422', async () => {
  const event = (event_key: string) =>
    post(env, { ...smsTo(freshPhone()), body: undefined, event_key, data: { name: 'A', order: '1' } })
  for (const key of ['no.such.event', 'order.draft', 'constructor']) {
    const { status, body } = await event(key)
    expect([key, status, body.code]).toEqual([key, 404, 'event_not_found'])
  }
  for (const key of ['invoice.ready', 'promo.pending']) {
    const { status, body } = await event(key)
    expect([key, status, body.code]).toEqual([key, 422, 'channel_not_allowed'])
  }
})
