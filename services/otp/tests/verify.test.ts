import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, untilAvailable } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, otpState, postResend, postSend, postVerify, sendCode, wrong } from './codes.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp'])
})
afterAll(() => env?.stop())

const outcomes = (answers: { status: number; body: { code?: string; status?: unknown } }[]) => {
  const counts: Record<string, number> = {}
  for (const { body } of answers) {
    const outcome = body.code ?? String(body.status)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

/** One of many tries at one code: on a busy machine some wait too long for its lock, and have done nothing. */
const verifyAmongMany = (id: string, code: string, request: ApiRequest = {}) =>
  untilAvailable(() => postVerify(env, id, code, request))

const attemptsOf = async (id: string) =>
  (await env.sql('otp').query('select attempts from transactions where id = $1', [id])).rows[0].attempts

/** Makes the code of a transaction expire in so many milliseconds. */
const expireIn = (id: string, ms: number) =>
  env
    .sql('otp')
    .query(`update transactions set expires_at = clock_timestamp() + $2 * interval '1 millisecond' where id = $1`, [
      id,
      ms,
    ])

test('a code is sent, verifies, and shows the time', async () => {
  const { id, code } = await sendCode(env)
  expect(code).toMatch(/^[0-9]{6}$/)
  const { status, body } = await postVerify(env, id, code)
  expect([status, body]).toEqual([
    200,
    { status: 'verified', transaction_id: id, verified_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
  ])
  expect(await otpState(env, id)).toMatchObject({ status: 'verified', verified_at: body.verified_at })
  expectProblem(await postVerify(env, id, code), 409, 'otp_already_verified')
  expectProblem(await postVerify(env, id, wrong(code)), 409, 'otp_already_verified')
})

test('64 concurrent right codes verify once', async () => {
  const { id, code } = await sendCode(env)
  const answers = await Promise.all(Array.from({ length: 64 }, () => verifyAmongMany(id, code)))
  expect(outcomes(answers)).toEqual({ verified: 1, otp_already_verified: 63 })
})

test('64 concurrent wrong codes count as five tries; afterwards the right one is refused', async () => {
  const { id, code } = await sendCode(env)
  const answers = await Promise.all(Array.from({ length: 64 }, () => verifyAmongMany(id, wrong(code))))
  expect(outcomes(answers)).toEqual({ otp_invalid_code: 5, otp_attempts_exceeded: 59 })
  const remaining = answers.flatMap(({ body }) => body.attempts_remaining ?? [])
  expect(remaining.sort()).toEqual([0, 1, 2, 3, 4])
  expect(await attemptsOf(id)).toBe(5)
  expectProblem(await postVerify(env, id, code), 429, 'otp_attempts_exceeded')
})

test('concurrent right and wrong codes over two connection pools: one success, never a sixth try', async () => {
  const { id, code } = await sendCode(env)
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      verifyAmongMany(id, index % 2 ? code : wrong(code), {
        headers: index % 3 ? {} : { 'idempotency-key': `k${index}` },
      }),
    ),
  )
  const { verified = 0, otp_invalid_code = 0 } = outcomes(answers)
  const attempts = await attemptsOf(id)
  // Either ends the code, and whatever comes later is refused.
  expect(verified === 1 || attempts === 5).toBe(true)
  expect(verified).toBeLessThanOrEqual(1)
  expect(attempts).toBeLessThanOrEqual(5)
  expect(otp_invalid_code).toBeLessThanOrEqual(5)
})

test('a wrong code counts under an Idempotency-Key, which may then carry the right one, whose answer is stored', async () => {
  const { id, code } = await sendCode(env)
  const headers = { 'idempotency-key': `verify-${id}` }
  for (const remaining of [4, 3]) {
    const answer = await postVerify(env, id, wrong(code), { headers })
    expectProblem(answer, 422, 'otp_invalid_code')
    expect(answer.body.attempts_remaining).toBe(remaining)
  }
  const first = await postVerify(env, id, code, { headers })
  const again = await postVerify(env, id, code, { headers })
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('when Postgres does not explain in time why a try under an Idempotency-Key was refused, the answer is 503', async () => {
  const { id, code } = await sendCode(env)
  await expireIn(id, -1)
  await env.sql('otp').query(`
    create policy slow on transactions
      using (case when current_query() like '%is_expired%' then pg_sleep(10) is not null else true end);
    alter table transactions enable row level security, force row level security`)
  const verify = () => postVerify(env, id, code, { headers: { 'idempotency-key': `slow-${id}` } })
  try {
    expectProblem(await verify(), 503, 'service_unavailable')
  } finally {
    // Not as the service's role, which gives up after two seconds behind a lock.
    await env.admin.query(
      'alter table otp.transactions disable row level security; drop policy slow on otp.transactions',
    )
  }
  expectProblem(await verify(), 410, 'otp_expired')
})

test('a code expires to the second, by the clock of Postgres', async () => {
  const [early, late] = [await sendCode(env), await sendCode(env)]
  await expireIn(early.id, 5000)
  await expireIn(late.id, -1)
  expect((await postVerify(env, early.id, early.code)).status).toBe(200)
  expectProblem(await postVerify(env, late.id, late.code), 410, 'otp_expired')
  expectProblem(await postVerify(env, late.id, wrong(late.code)), 410, 'otp_expired')
  expect(await attemptsOf(late.id)).toBe(0)
  expectProblem(await postResend(env, late.id), 410, 'otp_expired')
  expect(await otpState(env, late.id)).toMatchObject({ status: 'expired' })
})

test('codes of another transaction, application, mode or tenant never verify, and the answer reveals nothing', async () => {
  const [mine, other] = [await sendCode(env), await sendCode(env)]
  expectProblem(
    await postVerify(env, mine.id, other.code === mine.code ? wrong(other.code) : other.code),
    422,
    'otp_invalid_code',
  )
  const permissions = ['otp:send', 'otp:verify']
  const stranger = await addKey(env, await addApplication(env), { permissions })
  const tested = await addKey(env, env, { mode: 'test', permissions })
  const nothing = await postVerify(env, 'otp_00000000000000000000000000', mine.code)
  expectProblem(nothing, 404, 'otp_not_found')
  for (const { apiKey: key } of [stranger, tested]) {
    const answer = await postVerify(env, mine.id, mine.code, { key })
    expectProblem(answer, 404, 'otp_not_found')
    expect(answer.body.detail).toBe(nothing.body.detail)
    expectProblem(await env.api('GET', `/api/v1/otp/${mine.id}`, { key }), 404, 'otp_not_found')
    expectProblem(await postResend(env, mine.id, { key }), 404, 'otp_not_found')
  }
  expect((await postVerify(env, mine.id, mine.code)).status).toBe(200)
})

/** Reads the counts of series, each written with its labels. */
async function countsOf(...series: string[]): Promise<number[]> {
  const lines = (await (await fetch(env.stack.metricsUrls.otp!)).text()).split('\n')
  return series.map((one) => Number(lines.find((line) => line.startsWith(`${one} `))!.slice(one.length)))
}

test('codes that an application gave are counted apart from those of otp, sent and verified: alerts leave them out', async () => {
  const counts = () =>
    countsOf(
      'otp_sent_total{kind="custom",mode="live"}',
      'otp_verifications_total{mode="live",outcome="verified_custom"}',
      'otp_verifications_total{mode="live",outcome="verified"}',
    )
  const [sent, verifiedCustom, verified] = (await counts()) as [number, number, number]
  const { id } = await sendCode(env, { channel: 'email', code: '0042007' }, 'custom@example.com')
  expect((await postVerify(env, id, '0042007')).status).toBe(200)
  expect(await counts()).toEqual([sent + 1, verifiedCustom + 1, verified])
})

test('codes of test keys are counted apart from live ones, of which alerts tell', async () => {
  const { apiKey: key } = await addKey(env, env, { mode: 'test', permissions: ['otp:send', 'otp:verify'] })
  const counts = () =>
    countsOf(
      ...['live', 'test'].flatMap((mode) => [
        `otp_sent_total{kind="generated",mode="${mode}"}`,
        `otp_verifications_total{mode="${mode}",outcome="otp_invalid_code"}`,
      ]),
    )
  const [live, liveTries, test, testTries] = (await counts()) as [number, number, number, number]
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const { body } = await eventually(async () => {
    const sent = await postSend(env, { channel: 'sms', recipient: freshPhone() }, { key, headers })
    expect(sent.status).toBe(200)
    return sent
  })
  expectProblem(await postVerify(env, body.transaction_id, '0000', { key }), 422, 'otp_invalid_code')
  expect(await counts()).toEqual([live, liveTries, test + 1, testTries + 1])
})

test('after a resend the earlier code is invalid, wrong tries still count, and a fourth resend is refused', async () => {
  const { id, code, phone } = await sendCode(env)
  expectProblem(await postVerify(env, id, wrong(code)), 422, 'otp_invalid_code')
  const resent = await postResend(env, id)
  expect([resent.status, resent.body]).toEqual([200, { status: 'sent', transaction_id: id, expires_in_seconds: 300 }])
  const [second] = await codesTo(env, phone, 2)
  const answer = await postVerify(env, id, code)
  expectProblem(answer, 422, 'otp_invalid_code')
  expect(answer.body.attempts_remaining).toBe(3)
  for (let resends = 2; resends <= 3; resends++) {
    expect((await postResend(env, id)).status).toBe(200)
    // Messages that are sent at the same moment may arrive in either order.
    await codesTo(env, phone, resends + 1)
  }
  const refused = await postResend(env, id)
  expectProblem(refused, 429, 'otp_rate_limited')
  expect(refused.body.detail).toBe('A code is sent again at most 3 times; begin a new transaction')
  expect(refused.headers.get('retry-after')).toBeNull()
  expectProblem(await postVerify(env, id, second!), 422, 'otp_invalid_code')
  const [fourth] = await codesTo(env, phone, 4)
  expect((await postVerify(env, id, fourth!)).status).toBe(200)
  expectProblem(await postResend(env, id), 409, 'otp_already_verified')
})

test('after five wrong codes a resend is refused too', async () => {
  const { id, code } = await sendCode(env)
  for (let tries = 0; tries < 5; tries++) await postVerify(env, id, wrong(code))
  expectProblem(await postResend(env, id), 429, 'otp_attempts_exceeded')
})
