import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { asOperator, expectProblem } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, otpState, postResend, postSend, postVerify, sendCode, sendUntilTaken } from '../codes.ts'
import { env, publishApplication, settingsOf } from './stack.ts'

test('a code that dispatch refuses is refused, does not verify, and does not count for the recipient', async () => {
  const recipient = freshPhone()
  await env.api('POST', '/api/v1/suppressions', { token: env.operatorToken, body: { channel: 'sms', recipient } })
  const headers = { 'idempotency-key': `suppressed-${recipient}` }
  for (let count = 0; count < 6; count++) {
    const answer = await postSend(env, { channel: 'sms', recipient }, { headers })
    expectProblem(answer, 422, 'recipient_suppressed')
  }
  const { rows: left } = await env
    .sql('otp')
    .query(
      `select count(*)::int as n from transactions where failure_reason = 'recipient_suppressed' and code_proof is not null`,
    )
  expect(left[0].n).toBe(0)
  const { items } = (await env.api('GET', `/api/v1/suppressions?limit=100`, { token: env.operatorToken })).body
  await env.api('DELETE', `/api/v1/suppressions/${items[0].suppression_id}`, { token: env.operatorToken })
  expect((await sendUntilTaken(env, { channel: 'sms', recipient }, { headers })).status).toBe(200)
})

test('after a code that dispatch refuses its Idempotency-Key may carry one by another channel', async () => {
  const recipient = freshPhone()
  await asOperator(env, 'POST', '/api/v1/suppressions', { body: { channel: 'sms', recipient } })
  const headers = { 'idempotency-key': `fallback-${recipient}` }
  expectProblem(await sendUntilTaken(env, { channel: 'sms', recipient }, { headers }), 422, 'recipient_suppressed')
  const byEmail = { channel: 'email', recipient: 'fallback@example.com' }
  expect((await sendUntilTaken(env, byEmail, { headers })).status).toBe(200)
  await codesTo(env, 'fallback@example.com')
  expectProblem(await postSend(env, { channel: 'sms', recipient }, { headers }), 409, 'idempotency_conflict')
})

test('after a resend that dispatch refuses the earlier code verifies, the state is as before, and a repetition sends another', async () => {
  const { id, code, phone } = await sendCode(env)
  await eventually(async () => expect(await otpState(env, id)).toMatchObject({ status: 'delivered' }))
  const before = await otpState(env, id)
  const suppress = { token: env.operatorToken, body: { channel: 'sms', recipient: phone } }
  const { body: suppression } = await env.api('POST', '/api/v1/suppressions', suppress)
  const headers = { 'idempotency-key': `refused-${id}` }
  for (let count = 0; count < 4; count++)
    expectProblem(await postResend(env, id, { headers }), 422, 'recipient_suppressed')
  expect(await otpState(env, id)).toEqual(before)
  await env.api('DELETE', `/api/v1/suppressions/${suppression.suppression_id}`, { token: env.operatorToken })
  expect((await postResend(env, id, { headers })).status).toBe(200)
  const [second] = await codesTo(env, phone, 2)
  expectProblem(await postVerify(env, id, code), 422, 'otp_invalid_code')
  await env.api('POST', '/api/v1/suppressions', suppress)
  expectProblem(await postResend(env, id), 422, 'recipient_suppressed')
  expect((await postVerify(env, id, second)).status).toBe(200)
})

test('codes that are refused, for their recipient or by dispatch, do not count for their application', async () => {
  const { applicationId } = await addApplication(env)
  const otp = { sends_per_minute: 6 }
  await publishApplication({ application_id: applicationId, revision: 2, otp })
  await eventually(async () => expect(await settingsOf(applicationId)).toMatchObject({ settings: otp }))
  const { apiKey: key } = await addKey(env, { tenantId: env.tenantId, applicationId }, { permissions: ['otp:send'] })
  const send = (recipient: string) => sendUntilTaken(env, { channel: 'sms', recipient }, { key })
  const [suppressed, pressed] = [freshPhone(), freshPhone()]
  const suppress = { token: env.operatorToken, body: { channel: 'sms', recipient: suppressed } }
  await env.api('POST', '/api/v1/suppressions', suppress)
  for (let sent = 0; sent < 7; sent++) expectProblem(await send(suppressed), 422, 'recipient_suppressed')
  for (let sent = 0; sent < 5; sent++) expect((await send(pressed)).status).toBe(200)
  for (let sent = 0; sent < 7; sent++) {
    const refused = await send(pressed)
    expectProblem(refused, 429, 'otp_rate_limited')
    expect(refused.body.detail).toContain('recipient')
  }
  expect((await send(freshPhone())).status).toBe(200)
})
