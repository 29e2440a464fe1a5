import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { nextClockTime } from '@notify/locales'
import { post } from '@notify/test-kit/api'
import {
  add,
  addEvent,
  close,
  digestsOf,
  env,
  fresh,
  itemOf,
  operator,
  textsTo,
  untilClosed,
  untilTexts,
} from './stack.ts'

describe('a window', () => {
  test('begins with the first item, and later ones do not move its end', async () => {
    const { event_key, phone } = await fresh({ window: { seconds: 600 } })
    await add(event_key, phone, 'Ada')
    const [before] = await digestsOf(event_key)
    await add(event_key, phone, 'Bob')
    const [after] = await digestsOf(event_key)
    expect(after).toEqual({ ...before, joined: 2 })
    expect(Math.abs(after.seconds - 600)).toBeLessThan(5)
  })

  test('that slides begins again with each item, up to max_wait after the first', async () => {
    const { event_key, phone } = await fresh({ window: { seconds: 600 }, sliding: true, max_wait: 900 })
    await add(event_key, phone, 'Ada')
    const passes = (seconds: number) =>
      env.admin.query(
        `update dispatch.digests set opened_at = opened_at - $2 * interval '1 s', latest_at = latest_at - $2 * interval '1 s',
           closes_at = closes_at - $2 * interval '1 s', due_at = due_at - $2 * interval '1 s' where event_key = $1`,
        [event_key, seconds],
      )
    await passes(200)
    await add(event_key, phone, 'Bob')
    // The time between the two items counts as well.
    expect(Math.abs((await digestsOf(event_key))[0].seconds - 800)).toBeLessThan(60)
    await passes(300)
    await add(event_key, phone, 'Cy')
    const [digest] = await digestsOf(event_key)
    expect([digest.closes_at, digest.due_at]).toEqual([digest.latest_at, digest.latest_at])
    expect(Math.abs(digest.seconds - 900)).toBeLessThan(5)
  })

  test('of a day or a week ends by the clock of the recipient: of the request, the user, the application, then UTC', async () => {
    const daily = await addEvent({ window: { daily: '07:30' } })
    const weekly = await addEvent({ window: { weekly: { day: 'sunday', at: '18:00' } } })
    const user_id = crypto.randomUUID()
    const user = { phone: '+15550009100', timezone: 'Asia/Kathmandu' }
    expect((await env.api('PUT', `/api/v1/users/${user_id}`, { body: user })).status).toBe(200)
    const nowMs = Date.now()
    for (const [event_key, next] of [
      [daily, (zone: string) => nextClockTime(nowMs, '07:30', zone)],
      [weekly, (zone: string) => nextClockTime(nowMs, '18:00', zone, 0)],
    ] as const) {
      for (const fields of [
        { time_zone: 'America/New_York', recipient: { user_id }, priority: 'bulk' },
        { recipient: { user_id } },
        {},
      ])
        expect((await post(env, { ...itemOf(event_key, '+15550009101', 'Ada'), ...fields })).status).toBe(202)
      expect((await digestsOf(event_key)).map(({ closes_at }) => closes_at.getTime())).toEqual(
        ['America/New_York', 'Asia/Kathmandu', 'UTC'].map(next),
      )
    }
  })

  test('that begins with an item sent at once digests those that follow until its end; without any it ends silently', async () => {
    const { event_key, phone } = await fresh({ window: { seconds: 3600 }, first: 'now' })
    await add(event_key, phone, 'Ada')
    await untilTexts(phone, ['Ada: 1, Ada and 0 more'])
    expect(await digestsOf(event_key)).toMatchObject([{ is_open: true, seconds: expect.closeTo(3600, -1) }])
    for (const name of ['Bob', 'Cy']) await add(event_key, phone, name)
    expect(await textsTo(phone)).toHaveLength(1)
    await close(event_key)
    const both = ['Ada: 1, Ada and 0 more', 'Cy: 2, Bob, Cy and 0 more']
    await untilTexts(phone, both)
    await add(event_key, phone, 'Dee')
    await untilTexts(phone, [...both, 'Dee: 1, Dee and 0 more'])
    await close(event_key)
    expect(await textsTo(phone)).toHaveLength(3)
  })

  test('that begins with many items at the same moment sends each once', async () => {
    const { event_key, phone } = await fresh({ window: { seconds: 3600 }, first: 'now', show: 1 })
    // One whose template waits for long behind the others is refused for now.
    const untilAdded = (name: string) => {
      const headers = { 'idempotency-key': `${event_key}-${name}` }
      return eventually(() => add(event_key, phone, name, {}, { headers }))
    }
    await Promise.all(Array.from({ length: 30 }, (_, at) => untilAdded(String(at))))
    await close(event_key)
    await eventually(async () => {
      const totals = (await textsTo(phone)).map((text) => Number(/: (\d+),/.exec(text)![1]))
      expect([totals.length <= 2, totals.reduce((sum, one) => sum + one, 0)]).toEqual([true, 30])
    })
  })

  test('that has passed closes by itself', async () => {
    const { event_key, phone } = await fresh({ window: { seconds: 1 } })
    await add(event_key, phone, 'Ada')
    await untilClosed(event_key)
    await untilTexts(phone, ['Ada: 1, Ada and 0 more'])
  })

  test('of an event that is no longer digested keeps its items; new messages are sent at once', async () => {
    const { event_key, phone } = await fresh()
    await add(event_key, phone, 'Ada')
    const path = `/applications/${env.applicationId}/events/${event_key}`
    const plain = {
      name: 'News',
      allowed_channels: ['sms'],
      templates: { sms: { body: 'Hi {{ name }}' } },
      digest: null,
    }
    await operator('PUT', path, plain)
    await operator('POST', `${path}/publish`)
    expect((await post(env, itemOf(event_key, phone, 'Bob'))).body.delivery_status).toBe('queued')
    await untilTexts(phone, ['Hi Bob'])
    await close(event_key)
    await untilTexts(phone, ['Hi Bob', 'Hi Ada'])
  })
})
