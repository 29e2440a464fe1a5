import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { expectProblem, post, untilState } from '@notify/test-kit/api'
import { freshPhone, send, smsTo } from '@notify/test-kit/sms'
import { env, event, noteEffects, path, phone } from './stack.ts'

describe('unusual but valid requests are accepted', () => {
  let accepted: string[]
  beforeEach(() => {
    accepted = []
  })
  afterEach(async () => {
    // Accepted requests leave rows until they are delivered.
    expect(accepted.length).toBeGreaterThan(0)
    for (const id of accepted) await untilState(env, id, { delivery_status: 'delivered' })
    await noteEffects()
  })

  test('1600 characters, a string recipient, the shortest and the longest number', async () => {
    accepted.push(await send(env, freshPhone(), { body: 'x'.repeat(1600) }))
    for (const recipient of [freshPhone(), '+1234567', '+123456789012345']) {
      const { status, body } = await post(env, smsTo('', { recipient }))
      expect([status, body.channel]).toEqual([202, 'sms'])
      accepted.push(body.notification_id)
    }
    expect(new Set(accepted).size).toBe(4)
  })

  test('a time with an offset that no zone has', async () => {
    const { status, body } = await post(env, smsTo(freshPhone(), { expires_at: '2099-01-01T00:00:00+23:59' }))
    expect(status).toBe(202)
    accepted.push(body.notification_id)
  })

  test('of duplicate keys the last counts, long numbers and odd names in data do no harm', async () => {
    const to = freshPhone()
    const raw = `{"channel":"email","channel":"sms","recipient":{"phone":"${to}"},"event_key":"order.shipped",
      "data":{"name":"Ada","order":9007199254740992,"share":0.12345678901234567890,"constructor":{"prototype":1}}}`
    const { status, body } = await env.api('POST', path, { raw })
    expect([status, body.channel]).toEqual([202, 'sms'])
    accepted.push(body.notification_id)
    expectProblem(await post(env, { ...event({}), data: { name: 'Ada' } }), 422, 'template_variable_missing')
  })

  test('an id of the caller is kept when it is sane, and replaced when it is not', async () => {
    const kept = await post(env, smsTo(phone), { headers: { 'x-request-id': 'order-7:retry.1' } })
    expect(kept.headers.get('x-request-id')).toBe('order-7:retry.1')
    const replaced = await post(env, smsTo(phone), { headers: { 'x-request-id': '<script>' } })
    expect(replaced.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    accepted.push(kept.body.notification_id, replaced.body.notification_id)
  })
})
