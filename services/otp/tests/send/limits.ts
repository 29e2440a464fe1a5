import { expect, test } from '@jest/globals'
import { resendOtp } from '@notify/contracts'
import { type ApiResponse, eventually } from '@notify/dev-env'
import { expectProblem } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, postResend, postSend, sendUntilTaken } from '../codes.ts'
import { env, limitedKey, publishApplication, settingsOf } from './stack.ts'

test('an application sends only to allowed countries, up to its limit a minute, and browsers fill its codes in', async () => {
  const asLimited = (recipient: string) => sendUntilTaken(env, { channel: 'sms', recipient }, { key: limitedKey })
  for (const recipient of ['+447700900100', '+491601234567', '+79161234567']) {
    const refused = await asLimited(recipient)
    expectProblem(refused, 422, 'country_not_allowed')
    expect(refused.body.errors[0].path).toBe('recipient')
  }
  const recipient = freshPhone()
  const answers = [await asLimited(recipient), await asLimited('+491512345100')]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const [code] = await codesTo(env, recipient)
  const [message] = await env.messages({ to: recipient })
  expect(message!.text.split('\n').at(-1)).toBe(`@shop.example #${code}`)
  await asLimited(freshPhone())
  await asLimited(freshPhone())
  // If Redis answers late on a busy machine, one is counted elsewhere.
  await eventually(async () => expectProblem(await asLimited(freshPhone()), 429, 'otp_rate_limited'))
})

test('settings apply while otp runs, and an older revision changes nothing', async () => {
  const { applicationId } = await addApplication(env)
  const own = { tenantId: env.tenantId, applicationId }
  const { apiKey: key } = await addKey(env, own, { permissions: ['otp:send'] })
  const send = () => postSend(env, { channel: 'sms', recipient: freshPhone() }, { key })
  const publish = (revision: number, otp: object) =>
    publishApplication({ application_id: applicationId, revision, otp })
  expect((await send()).status).toBe(200)
  await publish(3, { allowed_countries: ['+44'], added_later: true })
  await eventually(async () => expectProblem(await send(), 422, 'country_not_allowed'))
  await publish(2, { allowed_countries: ['+1'] })
  await publish(4, {})
  await eventually(async () => expect(await settingsOf(applicationId)).toEqual({ revision: 4, settings: {} }))
  await eventually(async () => expect((await send()).status).toBe(200))
})

test('a code is not sent again to a country that is no longer allowed', async () => {
  const { applicationId } = await addApplication(env)
  const own = { tenantId: env.tenantId, applicationId }
  const { apiKey: key } = await addKey(env, own, { permissions: ['otp:send'] })
  const sent = await sendUntilTaken(env, { channel: 'sms', recipient: freshPhone() }, { key })
  expect(sent.status).toBe(200)
  const otp = { allowed_countries: ['+44'] }
  await publishApplication({ application_id: applicationId, revision: 3, otp })
  await eventually(async () => expect(await settingsOf(applicationId)).toEqual({ revision: 3, settings: otp }))
  // A transaction has only three resends, so another number shows when the settings apply.
  await eventually(async () => {
    const other = await postSend(env, { channel: 'sms', recipient: freshPhone() }, { key })
    expectProblem(other, 422, 'country_not_allowed')
  })
  await eventually(async () =>
    expectProblem(await postResend(env, sent.body.transaction_id, { key }), 422, 'country_not_allowed'),
  )
  expect(resendOtp.errors).toContain('country_not_allowed')
})

test('a tenant sends up to its limit of codes a minute to a country', async () => {
  const to = (index: number) => sendUntilTaken(env, { channel: 'sms', recipient: `+3531234${1000 + index}` })
  const answers: ApiResponse[] = []
  const refused = () => answers.filter(({ status }) => status !== 200)
  // A few at a time: a busy machine would answer some of a hundred concurrent requests too late.
  while (refused().length === 0 && answers.length < 195) {
    const sent = answers.length
    answers.push(...(await Promise.all(Array.from({ length: 15 }, (_, index) => to(sent + index)))))
  }
  // More than a hundred when Redis answers late: what it has not counted counts elsewhere.
  expect(answers.length - refused().length).toBeGreaterThanOrEqual(100)
  expect(refused()).not.toEqual([])
  for (const answer of refused()) expectProblem(answer, 429, 'otp_rate_limited')
})
