import { expect, test } from '@jest/globals'
import { expectProblem } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { codesTo, postSend, sendUntilTaken } from '../codes.ts'
import { env } from './stack.ts'

// The last of the tests: without Redis, and for a moment afterwards, the other limits count from zero.
test('five codes to a recipient in ten minutes, under any concurrency, over all applications, with and without Redis', async () => {
  const recipient = freshPhone()
  const body = { channel: 'sms', recipient }
  const other = (await addKey(env, await addApplication(env), { permissions: ['otp:send'] })).apiKey
  // They wait for each other: on a busy machine some do so for too long.
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => sendUntilTaken(env, body, index % 2 ? {} : { key: other })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const answer of refused) {
    expectProblem(answer, 429, 'otp_rate_limited')
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds > 500 && seconds <= 600).toBe(true)
  }
  await env.kill('redis')
  try {
    expectProblem(await postSend(env, body), 429, 'otp_rate_limited')
    // Without Redis the other limits still count, and codes are sent.
    expect((await sendUntilTaken(env, { channel: 'sms', recipient: freshPhone() })).status).toBe(200)
  } finally {
    await env.restart('redis')
  }
  // Moves the codes of this recipient ten minutes back.
  await env.sql('otp').query(`update messages set created_at = created_at - interval '10 minutes'`)
  expect((await sendUntilTaken(env, body)).status).toBe(200)
  await codesTo(env, recipient, 6)
})
