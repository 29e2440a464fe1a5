import { expect, test } from '@jest/globals'
import { parseKeyRing } from '@notify/privacy'
import { expectProblem, post, untilState } from '@notify/test-kit/api'
import { freshPhone, send, sendUntilTaken } from '@notify/test-kit/sms'
import { payloadAad } from '../../src/channels/payload-aad.ts'
import { channels } from '../../src/channels/registry.ts'
import { env } from './stack.ts'

test('the initial of a name is a whole character, an emoji too', async () => {
  const phone = freshPhone()
  const id = await send(env, phone, { body: '{{ name | split: "" | first }}!', template_data: { name: '🦊 Fox' } })
  await untilState(env, id, { delivery_status: 'delivered' })
  expect((await env.messages({ to: phone }))[0]?.text).toBe('🦊!')
})

test.each([
  ['sms', { channel: 'sms', recipient: freshPhone() }, 'body'],
  ['email', { channel: 'email', recipient: 'ada@example.com', subject: 'Hi' }, 'body'],
])('%s: half of a character that a template makes is 422 naming the field', async (_channel, request, field) => {
  const answer = await post(env, { ...request, body: 'Hi {{ "\\ud83e" }}', template_data: {} })
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors).toEqual([expect.objectContaining({ path: field })])
})

test('a stored message with half of a character fails permanently, and others of its provider are sent', async () => {
  const keyRing = parseKeyRing(env.stack.state.encryption_keys)
  const later = new Date(Date.now() + 3_600_000).toISOString()
  // More than what opens a circuit breaker.
  const ids = await Promise.all(Array.from({ length: 30 }, () => sendUntilTaken(env, freshPhone(), { send_at: later })))
  for (const id of ids) {
    const payload = keyRing.encrypt(
      JSON.stringify({ channel: 'sms', to: freshPhone(), text: 'Hi \ud83e' }),
      payloadAad(channels.sms, { id, tenantId: env.tenantId, lane: 'transactional' }),
    )
    await env
      .sql('dispatch')
      .query('update dispatch.notifications set payload = $2, send_at = now(), next_attempt_at = now() where id = $1', [
        id,
        payload,
      ])
  }
  for (const id of ids) {
    const { attempts } = await untilState(env, id, { delivery_status: 'failed', retryable: false })
    expect(attempts).toMatchObject([
      { outcome: 'rejected_permanent', provider_code: 'ill_formed_text', ambiguous: false },
    ])
  }
  const good = await send(env)
  const { attempts } = await untilState(env, good, { delivery_status: 'delivered' })
  expect(attempts).toHaveLength(1)
})
