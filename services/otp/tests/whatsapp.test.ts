import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { asOperator, expectProblem } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { optIn, untilConsent, untilTemplates, writeToUs } from '@notify/test-kit/whatsapp'
import { codesTo, otpState, postResend, postSend, postVerify, sendCode, sendUntilTaken } from './codes.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'otp', 'callbacks', 'consent'], { apart: ['consent'] })
  await untilTemplates(env)
})
afterAll(() => env?.stop())

const byWhatsApp = (recipient: string, request = {}) => postSend(env, { channel: 'whatsapp', recipient }, request)

async function agreed(): Promise<string> {
  const phone = freshPhone()
  await eventually(async () => expect((await optIn(env, phone)).status).toBe(201))
  return phone
}

const templateTo = async (phone: string) => {
  const [message] = await env.messages({ to: phone })
  return (message!.request.body as { template: object }).template
}

test('a code fills the body and the button of the authentication template, is delivered, and verifies', async () => {
  const phone = await agreed()
  // Ten digits, so that none is found in the logs by chance.
  const given = String(randomInt(1_000_000_000, 9_999_999_999))
  const { id, code } = await sendCode(env, { channel: 'whatsapp', code: given }, phone)
  expect(code).toBe(given)
  expect(await templateTo(phone)).toMatchObject({
    name: 'otp_code',
    language: { code: 'en_US' },
    components: [
      { type: 'body', parameters: [{ type: 'text', text: code }] },
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: code }] },
    ],
  })
  await eventually(async () => expect(await otpState(env, id)).toMatchObject({ status: 'delivered' }))
  expect((await postVerify(env, id, code)).status).toBe(200)
  await untilActivity(env, id, { channel: 'whatsapp', status: 'verified', retryable: false })
  expect(env.logs('dispatch-worker', 5000) + env.logs('dispatch-api', 5000)).not.toContain(code)
})

test('without an opt-in no code is sent: whatsapp_opt_in_required, and no code verifies', async () => {
  const phone = freshPhone()
  const refused = await byWhatsApp(phone)
  expectProblem(refused, 422, 'whatsapp_opt_in_required')
  const { rows } = await env
    .sql('otp')
    .query(`select status, failure_reason, code_proof from transactions order by created_at desc limit 1`)
  expect(rows).toEqual([{ status: 'failed', failure_reason: 'whatsapp_opt_in_required', code_proof: null }])
  expect(await env.messages({ to: phone })).toEqual([])
})

test('after STOP no further code is sent, and the number gets one again after a fresh opt-in', async () => {
  const phone = await agreed()
  const { id } = await sendCode(env, { channel: 'whatsapp' }, phone)
  await writeToUs(env, phone, { body: 'STOP' })
  await untilConsent(env, phone, { status: 'revoked' })
  expectProblem(await postResend(env, id), 422, 'whatsapp_opt_in_required')
  expectProblem(await byWhatsApp(phone), 422, 'whatsapp_opt_in_required')
  expect((await optIn(env, phone, { evidence_url: 'https://shop.example/again' })).status).toBe(201)
  expect((await sendUntilTaken(env, { channel: 'whatsapp', recipient: phone })).status).toBe(200)
  await codesTo(env, phone, 2)
})

test('while consent does not answer a code waits: 503, and it is sent once when consent answers again', async () => {
  const phone = await agreed()
  await env.kill('consent')
  const headers = { 'idempotency-key': `consent-${phone}` }
  expectProblem(await byWhatsApp(phone, { headers }), 503, 'service_unavailable')
  expect(await env.messages({ to: phone })).toEqual([])
  await env.restart('consent')
  const answer = await eventually(async () => {
    const again = await byWhatsApp(phone, { headers })
    expect(again.status).toBe(200)
    return again
  })
  const [code] = await codesTo(env, phone)
  expect((await postVerify(env, answer.body.transaction_id, code)).status).toBe(200)
})

test('while consent stands still, codes by SMS are sent at once', async () => {
  const phones = await Promise.all(Array.from({ length: 15 }, agreed))
  await env.kill('consent', 'SIGSTOP')
  try {
    // With other numbers on a busy machine, where the code by SMS may take longer than consent is waited for.
    await eventually(async () => {
      let answered = 0
      const some = phones.splice(0, 5)
      expect(some).toHaveLength(5)
      const waiting = some.map((phone) => byWhatsApp(phone).finally(() => answered++))
      const { status } = await postSend(env, { channel: 'sms', recipient: freshPhone() })
      const early = answered
      for (const answer of await Promise.all(waiting)) expectProblem(answer, 503, 'service_unavailable')
      expect([status, early]).toEqual([200, 0])
    })
  } finally {
    await env.kill('consent', 'SIGCONT')
  }
})

test('an application may have its own authentication template', async () => {
  const { applicationId } = await addApplication(env)
  const { apiKey: key } = await addKey(env, { tenantId: env.tenantId, applicationId }, { permissions: ['otp:send'] })
  const whatsapp = {
    template_name: 'otp_code',
    language: 'en_US',
    category: 'authentication',
    parameters: ['{{code}}'],
  }
  await env.sql('dispatch').query(
    `insert into events (tenant_id, application_id, event_key, name, status, version, allowed_channels, templates)
     values ($1, $2, 'otp', 'Code', 'published', 1, '{whatsapp}', $3)`,
    [env.tenantId, applicationId, JSON.stringify({ whatsapp })],
  )
  const filled = (code: string) => ({
    components: [
      { type: 'body', parameters: [{ type: 'text', text: code }] },
      { type: 'button', parameters: [{ type: 'text', text: code }] },
    ],
  })
  const phone = await agreed()
  expect((await byWhatsApp(phone, { key })).status).toBe(200)
  const [code] = await codesTo(env, phone)
  expect(await templateTo(phone)).toMatchObject(filled(code!))
  const own = await agreed()
  const body = { channel: 'whatsapp', recipient: own, data: { code: '123456' } }
  const tested = await asOperator(env, 'POST', `/api/v1/applications/${applicationId}/events/otp/test`, { body })
  expect(tested.body).toMatchObject({ outcome: 'accepted' })
  expect(await templateTo(own)).toMatchObject(filled('123456'))
})
