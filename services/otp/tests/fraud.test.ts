import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { codesTo, postVerify, sendUntilTaken } from './codes.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp'], {
    env: {
      otp: {
        FRAUD_CONVERSION: '0.1',
        FRAUD_SLOW_AFTER: '4',
        FRAUD_BLOCK_AFTER: '40',
        FRAUD_GRACE: '0s',
        SENDS_PER_PREFIX: '20',
      },
    },
  })
})
afterAll(() => env?.stop())

let serial = 1000
const sendTo = (prefix: string) => sendUntilTaken(env, { channel: 'sms', recipient: `${prefix}${serial++}` })

/** Codes that were sent to a prefix and not verified, without the time that sending takes. */
async function unverified(prefix: string, count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    await env.sql('otp').query(
      `insert into transactions
       select (jsonb_populate_record(t, jsonb_build_object('id', $1::text, 'notification_id', $2::text, 'prefix', $3::text,
         'status', 'expired', 'verified_at', null, 'recipient', null))).* from transactions t limit 1`,
      [newId('otp'), newId('notif'), prefix],
    )
  }
}

const metrics = async () => (await fetch(env.stack.metricsUrls.otp!)).text()

test('codes that an application gives, and may check itself, do not slow their prefix', async () => {
  const [own, pumped] = ['+491603', '+491604']
  const sendOwn = () => sendUntilTaken(env, { channel: 'sms', recipient: `${own}${serial++}`, code: '123456' })
  const ids: string[] = []
  for (let sent = 0; sent < 5; sent++) {
    const { status, body } = await sendOwn()
    expect(status).toBe(200)
    ids.push(body.transaction_id)
  }
  await env.sql('otp').query(`update transactions set status = 'delivered' where id = any($1)`, [ids])

  // A judgement is kept for a second: when this newer one is renewed, that of the other prefix is too old as well.
  expect((await sendTo(pumped)).status).toBe(200)
  await unverified(pumped, 4)
  await eventually(async () => {
    await sendTo(pumped)
    expect(env.logs('otp')).toContain(`"prefix":"${pumped}","treatment":"slow"`)
  })
  for (let sent = 0; sent < 3; sent++) expect((await sendOwn()).status).toBe(200)
  expect(env.logs('otp')).not.toContain(`"prefix":"${own}"`)
})

test('a prefix whose codes are not verified is slowed, then blocked, and recovers by itself; others are unaffected', async () => {
  const [pumped, honest] = ['+8829915', '+491512']
  expect((await sendTo(pumped)).status).toBe(200)
  await unverified(pumped, 4)
  // Slowed: two a minute, a tenth of the rate.
  await eventually(async () => expectProblem(await sendTo(pumped), 429, 'otp_rate_limited'))
  // The judgement of a prefix is up to a second old.
  await eventually(async () => {
    await sendTo(pumped)
    expect(env.logs('otp')).toContain(`"prefix":"${pumped}","treatment":"slow"`)
  })
  expect(env.logs('otp')).not.toContain('"treatment":"blocked"')

  await unverified(pumped, 40)
  const blocked = await eventually(async () => {
    const answer = await sendTo(pumped)
    expectProblem(answer, 429, 'otp_rate_limited')
    expect(answer.body.detail).toContain('hardly ever verified')
    return answer
  })
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(60)
  await eventually(() => expect(env.logs('otp')).toContain(`"prefix":"${pumped}","treatment":"blocked"`))
  expect(await metrics()).toMatch(/otp_rate_limited_total\{limit="fraud"\} [1-9]/)
  expect(await metrics()).toMatch(/otp_conversion_ratio\{prefix="\+8829915"\} 0\b/)

  // As many codes, of which one in five is verified.
  for (let sent = 0; sent < 12; sent++) {
    const recipient = `${honest}77${serial++}`
    const answer = await sendUntilTaken(env, { channel: 'sms', recipient })
    expect(answer.status).toBe(200)
    if (sent % 5 > 0) continue
    const [code] = await codesTo(env, recipient)
    expect((await postVerify(env, answer.body.transaction_id, code)).status).toBe(200)
  }

  // Moves the codes an hour back.
  await env
    .sql('otp')
    .query(`update transactions set created_at = created_at - interval '1 hour' where prefix = $1`, [pumped])
  await eventually(async () => expect((await sendTo(pumped)).status).toBe(200))
  await eventually(() => expect(env.logs('otp')).toContain(`"prefix":"${pumped}","treatment":"normal"`))
})
