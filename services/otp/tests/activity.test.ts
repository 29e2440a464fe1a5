import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { activity, retry, untilActivity } from '@notify/test-kit/activity'
import { expectProblem } from '@notify/test-kit/api'
import { untilSettled } from '@notify/test-kit/bus'
import { report } from '@notify/test-kit/callbacks'
import { addEmptyTenant, operatorToken } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, otpState, postResend, postVerify, sendCode, sendUntilTaken } from './codes.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp', 'callbacks'], {
    env: { gateway: { RECONCILE_INTERVAL: '500ms', RECONCILE_AFTER: '0s' } },
  })
})
afterAll(() => env?.stop())

const items = async (query: Record<string, string> = {}) => {
  const { body } = await activity(env, { limit: '100', ...query })
  return body.items as { transaction_id: string; recipient_masked: string }[]
}

const itemsOf = async (phone: string) =>
  (await items()).filter((item) => item.recipient_masked.endsWith(phone.slice(-4)))

test('a code is one masked item from its sending to its verification, and its message is not an item', async () => {
  const { id, code, phone } = await sendCode(env, {}, freshPhone('4711'))
  const item = { channel: 'sms', application_name: 'Demo Shop', retryable: false, retry_count: 0, mode: 'live' }
  await untilActivity(env, id, { ...item, status: 'delivered', failure_reason: null })
  await postVerify(env, id, code)
  await untilActivity(env, id, {
    ...item,
    status: 'verified',
    recipient_masked: expect.stringMatching(/^\+1\d\*+4711$/),
  })
  expect((await itemsOf(phone)).map(({ transaction_id }) => transaction_id)).toEqual([id])
  const verified = await activity(env, { status: 'verified', channel: 'sms' })
  expect(verified.body).toMatchObject({ total_count: 1, items: [{ transaction_id: id }] })
})

test('a verified code stays verified, whatever the carrier reports later', async () => {
  const { id, code } = await sendCode(env, {}, freshPhone('0008'))
  await untilActivity(env, id, { status: 'sent' })
  expect((await postVerify(env, id, code)).status).toBe(200)
  await untilActivity(env, id, { status: 'verified' })
  const { rows } = await env.admin.query(
    `select a.notification_id, a.id from dispatch.attempts a
     join otp.transactions t using (notification_id) where t.id = $1`,
    [id],
  )
  const correlation = { notificationId: rows[0].notification_id, attemptId: rows[0].id }
  for (const status of ['undelivered', 'delivered']) {
    expect((await report(env, correlation, status, { fields: { ErrorCode: '30003' } })).status).toBe(200)
    await untilSettled(env, ['callbacks', 'dispatch', 'otp'])
    const { rows: states } = await env.admin.query('select status from dispatch.notifications where id = $1', [
      correlation.notificationId,
    ])
    expect(states).toEqual([{ status }])
    expect(await otpState(env, id)).toMatchObject({ status: 'verified', failure_reason: null })
    await untilActivity(env, id, { status: 'verified', failure_reason: null })
  }
})

test('a failed code has a reason, an unused one expires, and a resend is not a second item', async () => {
  const failed = await sendCode(env, {}, freshPhone('0002'))
  await untilActivity(env, failed.id, { status: 'failed', failure_reason: expect.stringMatching(/\S/) })
  const expired = await sendCode(env)
  await postResend(env, expired.id)
  await untilActivity(env, expired.id, { status: 'delivered' })
  await env.sql('otp').query('update transactions set expires_at = now() where id = $1', [expired.id])
  await untilActivity(env, expired.id, { status: 'expired', failure_reason: null })
  const ids = (await items()).map(({ transaction_id }) => transaction_id)
  expect(ids.filter((id) => id === expired.id)).toHaveLength(1)
  expect(ids.filter((id) => id.startsWith('notif_'))).toEqual([])
})

test('after a resend the message before it, which waits for a retry, is not sent', async () => {
  const phone = freshPhone('0004')
  const { status, body } = await sendUntilTaken(env, { channel: 'sms', recipient: phone })
  expect(status).toBe(200)
  expect((await postResend(env, body.transaction_id)).status).toBe(200)
  await eventually(async () => {
    const { rows } = await env.admin.query(
      `select n.status, n.failure_reason from dispatch.notifications n join otp.messages m on m.notification_id = n.id
       where m.transaction_id = $1 order by m.created_at`,
      [body.transaction_id],
    )
    expect(rows).toEqual([
      { status: 'failed', failure_reason: 'expired' },
      { status: 'delivered', failure_reason: null },
    ])
  })
  const [code] = await codesTo(env, phone)
  expect((await postVerify(env, body.transaction_id, code)).status).toBe(200)
})

test("a code cannot be retried: 409 for the tenant's own, 404 for others and for unknown ids", async () => {
  const { id } = await sendCode(env, {}, freshPhone('0002'))
  await untilActivity(env, id, { status: 'failed', retryable: false })
  expectProblem(await retry(env, id), 409, 'not_retryable')
  expectProblem(await retry(env, 'otp_00000000000000000000000000'), 404, 'not_found')
  expectProblem(
    await retry(env, id, { token: operatorToken(env, { tenant_id: await addEmptyTenant(env) }) }),
    404,
    'not_found',
  )
})

test('pages of the activity contain codes and notifications', async () => {
  const ids = [await sendCode(env), await sendCode(env), await sendCode(env)].map(({ id }) => id)
  for (const id of ids) await untilActivity(env, id, { status: 'delivered' })
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const { body } = await activity(env, { limit: '1', ...(cursor ? { cursor } : {}) })
    seen.push(...body.items.map(({ transaction_id }: { transaction_id: string }) => transaction_id))
    cursor = body.next_cursor
  } while (cursor && seen.length < 50)
  expect(ids.filter((id) => !seen.includes(id))).toEqual([])
})

test('facts that JetStream has lost are published again', async () => {
  const { id, code } = await sendCode(env)
  await untilActivity(env, id, { status: 'delivered' })
  await env.kill('nats')
  const answer = await postVerify(env, id, code)
  expect(answer.status).toBe(200)
  await env.restart('nats')
  await eventually(async () => untilActivity(env, id, { status: 'verified' }))
})
