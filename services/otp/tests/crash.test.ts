import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { asOperator, expectProblem } from '@notify/test-kit/api'
import { type DispatchGate, type GateMode, startDispatchGate } from '@notify/test-kit/dispatch-gate'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, otpState, postResend, postSend, postVerify, sendCode, sendUntilTaken, wrong } from './codes.ts'

let env: TestEnv
let gate: DispatchGate
beforeAll(async () => {
  gate = await startDispatchGate(() => env.stack.url('dispatch-api'))
  env = await TestEnv.start(['gateway', 'dispatch', 'otp'], {
    apart: ['otp', 'dispatch-api'],
    env: { otp: { DISPATCH_URL: gate.url } },
  })
})
afterAll(async () => {
  await env?.stop()
  gate?.stop()
})

const sql = (text: string, values: unknown[] = []) => env.sql('otp').query(text, values)

/** Makes waiting messages due, so that the scheduler does not wait for their requests. */
const letResume = () => sql('update messages set due_at = now() where due_at is not null')

const transactionsOf = async (resends = 0) =>
  (await sql(`select id, notification_id from transactions where status = 'pending' and resends = $1`, [resends])).rows

const quietly = <T>(answer: Promise<T>) => answer.catch(() => undefined)

async function crash(process: 'otp' | 'dispatch-api'): Promise<void> {
  await env.kill(process)
  gate.set('pass')
  await env.restart(process)
}

const steps: [string, GateMode, 'otp' | 'dispatch-api'][] = [
  ['otp before dispatch has the message', 'loseRequest', 'otp'],
  ['otp before it receives the answer of dispatch', 'loseAnswer', 'otp'],
  ['dispatch before it has the message', 'loseRequest', 'dispatch-api'],
  ['dispatch after it has committed', 'loseAnswer', 'dispatch-api'],
]

/** A repeated request is the same after each crash of dispatch. */
const ofOtp = steps.filter(([, , process]) => process === 'otp')

test.each(steps)('a crash of %s: the code is sent once, and verifies', async (_step, mode, process) => {
  const phone = freshPhone()
  gate.set(mode)
  const answer = quietly(postSend(env, { channel: 'sms', recipient: phone }))
  await eventually(() => expect(gate.lost).toBeGreaterThan(0))
  const [{ id, notification_id }] = await transactionsOf()
  await crash(process)
  await answer
  await letResume()
  const [code] = await codesTo(env, phone)
  await eventually(async () => expect(await otpState(env, id)).toMatchObject({ status: 'sent' }))
  const { rows } = await env.admin.query('select count(*)::int as n from dispatch.notifications where id = $1', [
    notification_id,
  ])
  expect(rows[0].n).toBe(1)
  expect((await postVerify(env, id, code)).status).toBe(200)
  expect(await env.messages({ to: phone })).toHaveLength(1)
})

test.each(ofOtp)(
  'a crash of %s, repeated with the same key: the same transaction, one code',
  async (_step, mode, process) => {
    const phone = freshPhone()
    const send = () =>
      postSend(env, { channel: 'sms', recipient: phone }, { headers: { 'idempotency-key': `crash-${phone}` } })
    gate.set(mode)
    const answer = quietly(send())
    await eventually(() => expect(gate.lost).toBeGreaterThan(0))
    const [{ id }] = await transactionsOf()
    await crash(process)
    await answer
    const again = await eventually(async () => {
      const repeated = await send()
      expect(repeated.status).toBe(200)
      return repeated
    })
    expect(again.body).toMatchObject({ status: 'sent', transaction_id: id })
    const [code] = await codesTo(env, phone)
    expect((await postVerify(env, id, code)).status).toBe(200)
    expect(await env.messages({ to: phone })).toHaveLength(1)
  },
)

test.each(ofOtp)(
  'a resend and a crash of %s: the new code is sent once, the old one is invalid',
  async (_step, mode, process) => {
    const { id, code, phone } = await sendCode(env)
    gate.set(mode)
    const answer = quietly(postResend(env, id))
    await eventually(() => expect(gate.lost).toBeGreaterThan(0))
    await crash(process)
    await answer
    await letResume()
    const [second] = await codesTo(env, phone, 2)
    expect((await postVerify(env, id, code)).body.code).toBe('otp_invalid_code')
    expect((await postVerify(env, id, second)).status).toBe(200)
    expect(await env.messages({ to: phone })).toHaveLength(2)
  },
)

test('after a resend without an answer and one that is refused, the code that was sent verifies', async () => {
  const { id, code, phone } = await sendCode(env)
  gate.set('loseRequest')
  expect((await postResend(env, id)).status).toBe(503)
  await env.api('POST', '/api/v1/suppressions', {
    token: env.operatorToken,
    body: { channel: 'sms', recipient: phone },
  })
  gate.set('pass')
  await eventually(async () => expect((await postResend(env, id)).status).toBe(422))
  await eventually(async () => expect(await otpState(env, id)).toMatchObject({ status: 'sent' }))
  expect((await postVerify(env, id, code)).status).toBe(200)
})

test('a code without an answer whose repetition is refused leaves its Idempotency-Key to one by another channel', async () => {
  const recipient = freshPhone()
  const headers = { 'idempotency-key': `fallback-${recipient}` }
  gate.set('loseRequest')
  expect((await postSend(env, { channel: 'sms', recipient }, { headers })).status).toBe(503)
  await asOperator(env, 'POST', '/api/v1/suppressions', { body: { channel: 'sms', recipient } })
  gate.set('pass')
  const again = () => postSend(env, { channel: 'sms', recipient }, { headers })
  await eventually(async () => expectProblem(await again(), 422, 'recipient_suppressed'))
  const byEmail = { channel: 'email', recipient: 'fallback@example.com' }
  expect((await sendUntilTaken(env, byEmail, { headers })).status).toBe(200)
})

test('while dispatch does not answer: 503, which says that the code may follow, and it does once dispatch answers, unless it has expired', async () => {
  const [lasting, expiring] = [freshPhone(), freshPhone('0200')]
  const send = (recipient: string) =>
    postSend(env, { channel: 'sms', recipient }, { headers: { 'idempotency-key': `absence-${recipient}` } })
  gate.set('loseRequest')
  // On a busy machine the gateway gives up before otp answers.
  const refuse = (recipient: string) =>
    eventually(async () =>
      expect(await send(recipient)).toMatchObject({
        status: 503,
        body: { detail: expect.stringContaining('may still be sent') },
      }),
    )
  await Promise.all([lasting, expiring].map(refuse))
  const pending = `select id from transactions where status = 'pending' and recipient_masked like '%0200'`
  const [late] = (await sql(pending)).rows
  await sql('update messages set expires_at = now() where transaction_id = $1', [late.id])
  await sql('update transactions set expires_at = now() where id = $1', [late.id])
  const unsent = { status: 'failed', failure_reason: 'service_unavailable' }
  await eventually(async () => expect(await otpState(env, late.id)).toMatchObject(unsent))
  gate.set('pass')
  await letResume()
  await codesTo(env, lasting)
  expect(await env.messages({ to: expiring })).toEqual([])
  await eventually(async () => {
    const left = await sql('select request from messages where transaction_id = $1', [late.id])
    expect(left.rows).toEqual([{ request: null }])
  })
  // The caller repeats its request for the code that was never sent.
  const again = await send(expiring)
  expect(again).toMatchObject({ status: 200, body: { status: 'sent', expires_in_seconds: expect.any(Number) } })
  expect(again.body.transaction_id).not.toBe(late.id)
  const [code] = await codesTo(env, expiring)
  expect((await postVerify(env, again.body.transaction_id, code)).status).toBe(200)
})

test('otp and dispatch crash repeatedly under load: each repeated request ends in one code', async () => {
  const phones = Array.from({ length: 30 }, () => freshPhone())
  const send = (recipient: string) =>
    eventually(async () => {
      const headers = { 'idempotency-key': `storm-${recipient}` }
      const { status, body } = await postSend(env, { channel: 'sms', recipient }, { headers })
      expect(status).toBe(200)
      return body.transaction_id as string
    })
  const sending = Promise.all(phones.map(send))
  for (const process of ['otp', 'dispatch-api', 'otp'] as const) await crash(process)
  const ids = await sending
  expect(new Set(ids).size).toBe(phones.length)
  for (const [index, phone] of phones.entries()) {
    const [code] = await codesTo(env, phone)
    expect((await postVerify(env, ids[index]!, code)).status).toBe(200)
  }
})

test('otp, or its connections to Postgres, crash while codes are tried: one success, five tries, and only true facts', async () => {
  const verifyStorm = async (id: string, code: string) => {
    const answers = Promise.all(Array.from({ length: 100 }, () => quietly(postVerify(env, id, code))))
    await env.admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'otp'`,
    )
    await crash('otp')
    return (await answers).filter((answer) => answer !== undefined)
  }
  const right = await sendCode(env)
  const answers = await verifyStorm(right.id, right.code)
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  const after = await postVerify(env, right.id, right.code)
  const succeeded = answers.filter(({ status }) => status === 200).length + (after.status === 200 ? 1 : 0)
  expect(succeeded).toBeLessThanOrEqual(1)
  expect(await otpState(env, right.id)).toMatchObject({ status: 'verified' })

  const guessed = await sendCode(env)
  const wrongs = await verifyStorm(guessed.id, wrong(guessed.code))
  expect(wrongs.filter(({ status }) => status === 422).length).toBeLessThanOrEqual(5)
  for (let count = 0; count < 6; count++) await postVerify(env, guessed.id, wrong(guessed.code))
  const { rows } = await sql('select attempts from transactions where id = $1', [guessed.id])
  expect(rows[0].attempts).toBe(5)
  expect((await postVerify(env, guessed.id, guessed.code)).status).toBe(429)
})
