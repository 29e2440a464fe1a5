import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { retry } from '@notify/test-kit/activity'
import { stateOf, untilState } from '@notify/test-kit/api'
import { untilSettled } from '@notify/test-kit/bus'
import { type Correlation, report } from '@notify/test-kit/callbacks'
import { refuses, type StubCarrier, startStubCarrier, takes } from '@notify/test-kit/carriers'
import { send } from '@notify/test-kit/sms'

let carrier: StubCarrier
let env: TestEnv
beforeAll(async () => {
  carrier = await startStubCarrier()
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    env: {
      'dispatch-worker': { TWILIO_API_URL: carrier.url, CARRIER_TIMEOUT: '20s', SEND_RETRY_DELAYS: '100ms,100ms' },
    },
  })
})
afterAll(async () => {
  await env?.stop()
  await carrier?.stop()
})
beforeEach(() => {
  carrier.answer = takes
})

interface HeldCall extends Correlation {
  id: string
  response: ServerResponse
}

/** A message whose carrier has it, and has not yet answered us. */
async function heldCall(): Promise<HeldCall> {
  const held = Promise.withResolvers<{ response: ServerResponse; callback: URL }>()
  carrier.answer = (response, form) => {
    carrier.answer = takes
    held.resolve({ response, callback: new URL(form.get('StatusCallback')!) })
  }
  const id = await send(env)
  const { response, callback } = await held.promise
  return { id, notificationId: id, attemptId: callback.searchParams.get('attempt_id')!, response }
}

/** The worker has written down how the call ended. */
const untilAnswered = ({ id }: HeldCall) =>
  eventually(async () => {
    const { rows } = await env.admin.query('select sending from dispatch.notifications where id = $1', [id])
    const { attempts } = await stateOf(env, id)
    expect([rows[0].sending, attempts[0].finished_at !== null]).toEqual([false, true])
  })

test.each([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['undelivered', 'undelivered'],
  ['failed', 'failed'],
])(
  'a receipt %s that comes before the carrier’s answer is kept when the answer is written down',
  async (status, expected) => {
    const call = await heldCall()
    await report(env, call, status, { fields: { ErrorCode: '30003' } })
    await untilState(env, call.id, { delivery_status: expected })
    const { rows } = await env.admin.query('select revision from dispatch.notifications where id = $1', [call.id])
    takes(call.response)
    await untilAnswered(call)
    await untilSettled(env)
    expect(await stateOf(env, call.id)).toMatchObject({
      delivery_status: expected,
      attempts: [{ outcome: 'accepted', ambiguous: false }],
    })
    const after = await env.admin.query('select revision from dispatch.notifications where id = $1', [call.id])
    expect(after.rows[0].revision).toBe(rows[0].revision)
  },
)

test('a carrier that delivers, and then answers that it refuses, has delivered: nothing is sent again', async () => {
  const call = await heldCall()
  await report(env, call, 'delivered')
  await untilState(env, call.id, { delivery_status: 'delivered' })
  const calls = carrier.received.length
  refuses(500, 20500, 'Internal')(call.response)
  await untilAnswered(call)
  await untilSettled(env)
  expect(await stateOf(env, call.id)).toMatchObject({ delivery_status: 'delivered', failure_reason: null })
  expect((await stateOf(env, call.id)).attempts).toHaveLength(1)
  expect(carrier.received.length).toBe(calls)
})

test('a connection that is cut after the receipt came leaves no unknown outcome behind', async () => {
  const call = await heldCall()
  await report(env, call, 'sent')
  await untilState(env, call.id, { delivery_status: 'sent' })
  call.response.destroy()
  await untilAnswered(call)
  await untilSettled(env)
  const state = await stateOf(env, call.id)
  expect(state).toMatchObject({ delivery_status: 'sent', attempts: [{ outcome: 'accepted', ambiguous: false }] })
  expect(state.attempts).toHaveLength(1)
})

test('while the second attempt is under way, the first one’s failure changes nothing and its delivery ends it', async () => {
  const first = await heldCall()
  takes(first.response)
  await untilState(env, first.id, { delivery_status: 'sent' })
  await report(env, first, 'undelivered', { fields: { ErrorCode: '30003' } })
  await untilState(env, first.id, { delivery_status: 'undelivered' })

  const held = Promise.withResolvers<ServerResponse>()
  carrier.answer = (response) => held.resolve(response)
  expect((await retry(env, first.id)).status).toBe(202)
  const second = await held.promise
  for (const late of ['failed', 'sent', 'undelivered', 'sent']) {
    await report(env, first, late, { fields: { ErrorCode: '30007' } })
  }
  await untilSettled(env, ['callbacks'])
  expect(await stateOf(env, first.id)).toMatchObject({
    delivery_status: 'queued',
    retry_count: 1,
    failure_reason: null,
  })

  await report(env, first, 'delivered')
  await untilState(env, first.id, { delivery_status: 'delivered' })
  refuses(400, 21211, "Invalid 'To'")(second)
  await eventually(async () => expect((await stateOf(env, first.id)).attempts[1]?.finished_at).toBeTruthy())
  await untilSettled(env)
  expect(await stateOf(env, first.id)).toMatchObject({ delivery_status: 'delivered', failure_reason: null })
})

test('receipts that came without our ids belong to the message that the account has taken under their own id', async () => {
  const id = await send(env)
  const { attempts } = await untilState(env, id, { delivery_status: 'sent' })
  const fields = { MessageSid: attempts[0].provider_message_id, ErrorCode: '21610' }
  expect((await report(env, null, 'undelivered', { fields })).status).toBe(200)
  await untilState(env, id, { delivery_status: 'undelivered' })
  // The recipient is suppressed, too.
  const { rows } = await env.admin.query('select reason from dispatch.suppressions where source_notification_id = $1', [
    id,
  ])
  expect(rows).toEqual([{ reason: 'stop' }])
  await report(env, null, 'delivered', { fields: { MessageSid: attempts[0].provider_message_id } })
  await untilState(env, id, { delivery_status: 'delivered' })
})
