import { expect, test } from '@jest/globals'
import { expectProblem, postUntilTaken } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, otpState, postSend, postVerify, sendCode, sendUntilTaken } from '../codes.ts'
import { env } from './stack.ts'

test('a repetition under the same key sends one code; another body is a conflict', async () => {
  const recipient = freshPhone()
  const headers = { 'idempotency-key': `send-${recipient}` }
  const body = { channel: 'sms', recipient }
  const answers = await Promise.all(Array.from({ length: 10 }, () => sendUntilTaken(env, body, { headers })))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expectProblem(await postSend(env, { ...body, length: 4 }, { headers }), 409, 'idempotency_conflict')
  const [code] = await codesTo(env, recipient)
  expect((await postVerify(env, answers[0]!.body.transaction_id, code)).status).toBe(200)
})

test('a resend under one key is one resend', async () => {
  const { id, phone } = await sendCode(env)
  const headers = { 'idempotency-key': `resend-${id}` }
  const answers = await Promise.all(
    [1, 2, 3].map(() => postUntilTaken(env, `/api/v1/otp/${id}/resend`, undefined, { headers })),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await otpState(env, id)).toMatchObject({ resends_remaining: 2 })
  await codesTo(env, phone, 2)
})
