import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ApiResponse, eventually, startTestPostgres, TestEnv, type TestPostgres } from '@notify/dev-env'
import { freshPhone } from '@notify/test-kit/sms'
import { otpState, postSend, postVerify, sendCode, wrong } from './codes.ts'

const shared = 'NOTIFY_TEST_POSTGRES_URL'
let env: TestEnv
let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres({ durable: true })
  const given = process.env[shared]
  process.env[shared] = postgres.url
  env = await TestEnv.start(['gateway', 'dispatch', 'otp', 'callbacks'], {
    apart: ['otp', 'dispatch-api', 'dispatch-worker'],
    env: { 'dispatch-worker': { UNKNOWN_GRACE: '1s' } },
  })
  if (given) process.env[shared] = given
  else delete process.env[shared]
})
afterAll(async () => {
  await env?.stop()
  await postgres?.stop()
})

const sql = (text: string, values: unknown[] = []) => eventually(() => env.sql('otp').query(text, values))
const quietly = (answer: Promise<ApiResponse>) => answer.catch(() => undefined)

type Fault = 'killed' | 'frozen'

/** Causes the fault while calls are in progress. @returns their answers */
async function during(fault: Fault, calls: Promise<ApiResponse | undefined>[]) {
  // Some were answered, others are in progress.
  await Promise.race(calls)
  if (fault === 'killed') await postgres.crash()
  else postgres.freeze()
  const answers = await Promise.all(calls)
  if (fault === 'frozen') postgres.thaw()
  return answers.filter((answer) => answer !== undefined)
}

/** Repeats a call until its answer is not 5xx. */
const untilAnswered = (call: () => Promise<ApiResponse>) =>
  eventually(async () => {
    const answer = await call()
    expect(answer.status).toBeLessThan(500)
    return answer
  })

const successes = (answers: ApiResponse[]) => answers.filter(({ status }) => status === 200).length

test.each<Fault>(['killed', 'frozen'])(
  'Postgres is %s while codes are sent: each repeated request ends in one code, and none stays pending',
  async (fault) => {
    const phones = Array.from({ length: 20 }, () => freshPhone())
    const send = (recipient: string) =>
      postSend(env, { channel: 'sms', recipient }, { headers: { 'idempotency-key': `fault-${recipient}` } })
    const unkeyed = Array.from({ length: 10 }, () => freshPhone())
    const bare = unkeyed.map((recipient) => quietly(postSend(env, { channel: 'sms', recipient })))
    await during(fault, [...phones.map((phone) => quietly(send(phone))), ...bare])
    const answers = await Promise.all(phones.map((phone) => untilAnswered(() => send(phone))))
    expect(answers.map(({ status }) => status)).toEqual(phones.map(() => 200))
    expect(new Set(answers.map(({ body }) => body.transaction_id)).size).toBe(phones.length)
    for (const [index, phone] of phones.entries()) {
      const codes = await eventually(async () => {
        const messages = await env.messages({ to: phone })
        expect(messages.length).toBeGreaterThan(0)
        return new Set(messages.map(({ text }) => /[0-9]{6}/.exec(text)![0]))
      })
      // A message whose outcome was lost in the crash may be sent twice, with the same code.
      expect(codes.size).toBe(1)
      const answer = await untilAnswered(() => postVerify(env, answers[index]!.body.transaction_id, [...codes][0]!))
      expect(answer.status).toBe(200)
    }
    await sql('update messages set due_at = now() where due_at is not null')
    await eventually(async () => {
      const { rows } = await env.sql('otp').query(`select id from transactions where status = 'pending'`)
      expect(rows).toEqual([])
    })
  },
)

test.each<Fault>(['killed', 'frozen'])(
  'Postgres is %s while the right code is tried: it verifies once, and a repetition under its key returns that',
  async (fault) => {
    const { id, code } = await sendCode(env)
    const headers = { 'idempotency-key': `verify-${id}` }
    const keyed = () => postVerify(env, id, code, { headers })
    const bare = Array.from({ length: 40 }, () => quietly(postVerify(env, id, code)))
    const answers = await during(fault, [quietly(keyed()), ...bare])
    const again = await untilAnswered(keyed)
    expect([200, 409]).toContain(again.status)
    const other = await untilAnswered(() => postVerify(env, id, code))
    expect([other.status, other.body.code]).toEqual([409, 'otp_already_verified'])
    const kept =
      again.status === 200 && answers.some(({ text }) => text === again.text) ? 0 : Number(again.status === 200)
    expect(successes(answers) + kept).toBeLessThanOrEqual(1)
    expect(await otpState(env, id)).toMatchObject({ status: 'verified' })
  },
)

test.each<Fault>(['killed', 'frozen'])(
  'Postgres is %s while wrong codes are tried: five tries in all, and the right code is refused after them',
  async (fault) => {
    const { id, code } = await sendCode(env)
    const answers = await during(
      fault,
      Array.from({ length: 40 }, () => quietly(postVerify(env, id, wrong(code)))),
    )
    expect(answers.filter(({ status }) => status === 422).length).toBeLessThanOrEqual(5)
    for (let count = 0; count < 6; count++) await untilAnswered(() => postVerify(env, id, wrong(code)))
    const { rows } = await sql('select attempts from transactions where id = $1', [id])
    expect(rows).toEqual([{ attempts: 5 }])
    expect((await untilAnswered(() => postVerify(env, id, code))).status).toBe(429)
  },
)
