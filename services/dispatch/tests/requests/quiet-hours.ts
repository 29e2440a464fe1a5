import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { momentOf } from '@notify/locales'
import { untilActivity } from '@notify/test-kit/activity'
import { expectProblem, post, stateOf, untilState } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const anHour = 3_600_000
const ahead = (ms: number) => new Date(Date.now() + ms)
/** A time on the clock in UTC. */
const clock = (ms: number) => ahead(ms).toISOString().slice(11, 16)
const quietNow = () => ({ start: clock(-anHour), end: clock(anHour) })

async function addUser(fields: object) {
  const [user_id, phone] = [crypto.randomUUID(), freshPhone()]
  const put = (changed: object) => env.api('PUT', `/api/v1/users/${user_id}`, { body: { phone, ...changed } })
  expect((await put(fields)).status).toBe(200)
  return { recipient: { user_id }, phone, put }
}

async function sendTo(recipient: object, fields: object = {}): Promise<string> {
  const { status, body } = await post(env, smsTo('', { recipient, ...fields }))
  expect(status).toBe(202)
  return body.notification_id
}

const rowOf = async (id: string) =>
  (
    await env.admin.query(
      'select status, attempt_count, sending, next_attempt_at, send_at from dispatch.notifications where id = $1',
      [id],
    )
  ).rows[0]

/** Waits until the message waits for the end of quiet hours. */
const untilHeld = (id: string, end: Date) =>
  eventually(async () => {
    const held = { status: 'queued', attempt_count: 0, sending: false, next_attempt_at: expect.any(Date) }
    const row = await rowOf(id)
    expect(row).toMatchObject({ ...held, send_at: row.next_attempt_at })
    // Counted from when it is written: a busy machine holds it a little too long.
    const lateMs = row.next_attempt_at - end.getTime()
    expect(lateMs).toBeGreaterThan(-1000)
    expect(lateMs).toBeLessThan(60_000)
  })

/** The end of the quiet hours as the worker sees it. */
const endOf = ({ end }: { end: string }) => {
  const at = new Date(`${new Date().toISOString().slice(0, 10)}T${end}Z`)
  return at.getTime() > Date.now() ? at : new Date(at.getTime() + 24 * anHour)
}
const timePasses = (id: string) =>
  env.admin.query('update dispatch.notifications set next_attempt_at = now() where id = $1', [id])

describe('quiet hours', () => {
  test('hold a message until their end, judged at each claim by what is saved then', async () => {
    const quiet_hours = quietNow()
    const { recipient, phone, put } = await addUser({ timezone: 'UTC', quiet_hours })
    const id = await sendTo(recipient)
    await untilHeld(id, endOf(quiet_hours))
    const later = { start: quiet_hours.start, end: clock(2 * anHour) }
    await put({ timezone: 'UTC', quiet_hours: later })
    await timePasses(id)
    await untilHeld(id, endOf(later))
    expect(await env.messages({ to: phone })).toEqual([])
    await put({ timezone: 'UTC', quiet_hours: { start: clock(anHour), end: clock(2 * anHour) } })
    await timePasses(id)
    const { attempts } = await untilState(env, id, { delivery_status: 'delivered' })
    expect(attempts).toHaveLength(1)
    expect(await env.messages({ to: phone })).toHaveLength(1)
  })

  test('a message is sent at once by address, and outside of them', async () => {
    const { phone } = await addUser({ timezone: 'UTC', quiet_hours: quietNow() })
    const outside = await addUser({ timezone: 'UTC', quiet_hours: { start: clock(anHour), end: clock(-anHour) } })
    const ids = [await sendTo({ phone }), await sendTo(outside.recipient)]
    for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
  })

  test('an in-app message does not wait', async () => {
    const { recipient } = await addUser({ timezone: 'UTC', quiet_hours: quietNow() })
    const { body } = await post(env, { channel: 'in_app', recipient, title: 'Table', body: 'Ready' })
    const { rows } = await env.admin.query(
      `select events from dispatch.outbox where subject like 'dispatch.inbox.%' and events like '%' || $1 || '%'`,
      [body.notification_id],
    )
    expect(rows).toHaveLength(1)
  })

  test('a message that expires before their end is cancelled, and cannot be retried', async () => {
    const quiet_hours = quietNow()
    const { recipient, phone } = await addUser({ timezone: 'UTC', quiet_hours })
    const expires_at = ahead(anHour / 2).toISOString()
    const id = await sendTo(recipient, { expires_at })
    await untilHeld(id, endOf(quiet_hours))
    expect(await stateOf(env, id)).toMatchObject({ delivery_status: 'queued', expires_at })
    await env.admin.query('update dispatch.notifications set expires_at = now() where id = $1', [id])
    const ended = { failure_reason: 'expired', retryable: false }
    await untilState(env, id, { delivery_status: 'cancelled', ...ended, attempts: [] })
    await untilActivity(env, id, { status: 'cancelled', ...ended })
    expect(await env.messages({ to: phone })).toEqual([])
  })
})

describe('a local time to send', () => {
  const zone = 'Asia/Kolkata'
  /** Tomorrow at noon. */
  const local = `${ahead(24 * anHour)
    .toISOString()
    .slice(0, 10)}T12:00`

  test.each([
    ['the zone of the request', { time_zone: 'America/St_Johns' }, 'America/St_Johns'],
    ['the zone of the user', {}, zone],
  ])('is in %s', async (_whose, fields, expected) => {
    const { recipient } = await addUser({ timezone: zone })
    const id = await sendTo(recipient, { send_at_local: local, ...fields })
    const send_at = new Date(momentOf(local, expected)).toISOString()
    expect(await stateOf(env, id)).toMatchObject({ delivery_status: 'scheduled', send_at })
  })

  test('needs a zone', async () => {
    const answer = await post(env, smsTo(freshPhone(), { send_at_local: local }))
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe('send_at_local')
  })

  test.each([
    ['with a zone', { send_at_local: `${local}:00Z` }, 'send_at_local'],
    ['of no calendar', { send_at_local: '2026-02-30T12:00' }, 'send_at_local'],
    ['of no clock', { send_at_local: `${local.slice(0, 10)}T24:00` }, 'send_at_local'],
    ['beside send_at', { send_at_local: local, send_at: ahead(anHour).toISOString() }, 'send_at_local'],
    ['far ahead', { send_at_local: '9999-12-31T12:00' }, 'send_at_local'],
    ['past', { send_at_local: '2020-01-01T12:00' }, 'send_at_local'],
  ])('%s is refused', async (_what, fields, path) => {
    const answer = await post(env, smsTo(freshPhone(), { time_zone: zone, ...fields }))
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors[0].path).toBe(path)
  })
})

test.each([
  ['past', { expires_at: ahead(-anHour).toISOString() }],
  ['before the time to send', { expires_at: ahead(anHour).toISOString(), send_at: ahead(2 * anHour).toISOString() }],
  ['no time', { expires_at: 'soon' }],
])('an expiry that is %s is refused', async (_what, fields) => {
  const answer = await post(env, smsTo(freshPhone(), fields))
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors[0].path).toBe('expires_at')
})
