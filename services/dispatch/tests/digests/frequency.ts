import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { nextClockTime } from '@notify/locales'
import { expectProblem, post, untilState } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { add, addEvent, anHour, digestsOf, env, fresh, itemOf, operator, untilTexts } from './stack.ts'

async function addTopic(fields: object = {}): Promise<string> {
  const topic_key = `topic-${crypto.randomUUID()}`
  const topic = { topic_key, name: 'News', channels: ['sms'], ...fields }
  expect((await operator('POST', `/applications/${env.applicationId}/topics`, topic)).status).toBe(201)
  return topic_key
}

type Rule = { topic: string; channel: string; state: string | null; frequency?: string | null }
const choose = (address: string, rule: Rule) =>
  env.api('POST', '/api/v1/preferences/import', { body: { rules: [{ address, ...rule }] } })
const lookUp = async (address: string) =>
  (await env.api('POST', '/api/v1/preferences/lookup', { body: { address } })).body.rules

const secondsOf = async (event_key: string) =>
  (await digestsOf(event_key)).map(({ seconds }) => Math.round(seconds / 60) * 60)
const closesAt = async (event_key: string) => (await digestsOf(event_key))[0].closes_at.getTime()

test('the frequency that a person wants replaces the window; instant sends each message alone', async () => {
  const topic = await addTopic()
  const event_key = await addEvent({ window: { daily: '08:15' } }, { topic })
  const on = { topic, channel: 'sms', state: 'on' }
  const send = async (frequency: string) => {
    const phone = freshPhone()
    expect((await choose(phone, { ...on, frequency })).body.changed).toBe(1)
    const { body } = await post(env, itemOf(event_key, phone, 'Ada', { time_zone: 'Asia/Tokyo' }))
    const digests = await digestsOf(event_key)
    await env.admin.query('delete from dispatch.digests where event_key = $1', [event_key])
    return { id: body.notification_id, phone, digests }
  }
  const nowMs = Date.now()
  const moments = (digests: { closes_at: Date }[]) => digests.map(({ closes_at }) => closes_at.getTime())
  const hourly = await send('hourly')
  expect(Math.abs(hourly.digests[0].seconds - 3600)).toBeLessThan(5)
  expect(moments((await send('daily')).digests)).toEqual([nextClockTime(nowMs, '08:15', 'Asia/Tokyo')])
  expect(moments((await send('weekly')).digests)).toEqual([nextClockTime(nowMs, '08:15', 'Asia/Tokyo', 1)])
  const instant = await send('instant')
  expect(instant.digests).toEqual([])
  await untilTexts(instant.phone, ['Ada: 1, Ada and 0 more'])
  await untilState(env, instant.id, { delivery_status: 'delivered', digest_id: null, credits: 1 })
})

test('the narrowest frequency counts: of the topic before every topic, of the user before the address', async () => {
  const topic = await addTopic()
  const { event_key, phone } = await fresh(anHour, { topic })
  const user_id = crypto.randomUUID()
  await env.api('PUT', `/api/v1/users/${user_id}`, { body: { phone } })
  const noon = nextClockTime(Date.now(), '09:00', 'UTC')
  const next = async () => {
    await env.admin.query('delete from dispatch.digests where event_key = $1', [event_key])
    await add(event_key, '', 'Ada', { recipient: { user_id } })
  }
  await choose(phone, { topic: '*', channel: '*', state: 'on', frequency: 'daily' })
  await next()
  expect(await closesAt(event_key)).toBe(noon)
  await choose(phone, { topic, channel: '*', state: 'on', frequency: 'hourly' })
  await next()
  expect(await secondsOf(event_key)).toEqual([3600])
  const rules = [{ topic, channel: '*', state: 'on', frequency: 'weekly' }]
  expect((await env.api('PATCH', `/api/v1/users/${user_id}/preferences`, { body: { rules } })).status).toBe(200)
  await next()
  expect(await closesAt(event_key)).toBe(nextClockTime(Date.now(), '09:00', 'UTC', 1))
  const shown = (await env.api('POST', '/api/v1/preferences/lookup', { body: { address: phone, user_id } })).body
  expect(channelsIn(shown, topic)).toMatchObject([{ channel: 'sms', digests: true, frequency: 'weekly' }])
})

type Shown = { topics: { topic_key: string; channels: object[] }[] }
const channelsIn = ({ topics }: Shown, topic: string) => topics.find(({ topic_key }) => topic_key === topic)?.channels

test('a channel of a topic has digests where a published event with a digest names it', async () => {
  const [topic, other, required] = [
    await addTopic({ channels: ['email', 'sms'] }),
    await addTopic(),
    await addTopic({ kind: 'required' }),
  ]
  await addEvent(anHour, { topic })
  await addEvent(anHour, { topic: other, status: 'draft' })
  await addEvent(null, { topic: other, templates: { sms: { body: 'Hi' } } })
  await addEvent(anHour, { topic: required })
  const of = async () => (await env.api('POST', '/api/v1/preferences/lookup', { body: { address: freshPhone() } })).body
  await eventually(async () => {
    const shown = await of()
    const digests = [topic, other, required].map((one) => channelsIn(shown, one))
    expect(digests).toMatchObject([[{ digests: false }, { digests: true }], [{ digests: false }], [{ digests: false }]])
  })
})

test('a frequency chosen meanwhile does not move the end of an open digest, also of one that slides', async () => {
  const topic = await addTopic()
  const { event_key, phone } = await fresh({ window: { seconds: 600 }, sliding: true, max_wait: 14_400 }, { topic })
  await add(event_key, phone, 'Ada')
  const end = await closesAt(event_key)
  expect((await choose(phone, { topic, channel: 'sms', state: 'on', frequency: 'daily' })).body.changed).toBe(1)
  await add(event_key, phone, 'Bob')
  expect(await digestsOf(event_key)).toMatchObject([{ joined: 2, closes_at: new Date(end), due_at: new Date(end) }])
})

test('a frequency has no effect on a required topic, a message without a topic and an event without a digest', async () => {
  const phone = freshPhone()
  await choose(phone, { topic: '*', channel: '*', state: 'on', frequency: 'weekly' })
  const required = await addEvent(anHour, { topic: await addTopic({ kind: 'required' }) })
  const untopical = await addEvent(anHour)
  for (const event_key of [required, untopical]) {
    await add(event_key, phone, 'Ada')
    expect(await secondsOf(event_key)).toEqual([3600])
  }
  const plain = await addEvent(null, { topic: await addTopic(), templates: { sms: { body: 'Hi' } } })
  expect((await post(env, itemOf(plain, phone, 'Ada'))).body.delivery_status).toBe('queued')
})

test('a frequency belongs to the choice: kept by a change without one, removed by null, shown and recorded', async () => {
  const [topic, phone] = [await addTopic(), freshPhone()]
  const rule = { topic, channel: 'sms', state: 'on' }
  const changed = async (fields: object) => (await choose(phone, { ...rule, ...fields })).body.changed
  expect(await changed({ frequency: 'daily' })).toBe(1)
  expect(await changed({ frequency: 'daily' })).toBe(0)
  expect(await changed({})).toBe(0)
  expect(await changed({ state: 'off' })).toBe(1)
  expect(await lookUp(phone)).toMatchObject([{ topic, state: 'off', frequency: 'daily' }])
  expect(await changed({ state: 'on' })).toBe(1)
  expect(await lookUp(phone)).toMatchObject([{ topic, state: 'on', frequency: 'daily' }])
  expect(await changed({ frequency: null })).toBe(1)
  expect(await lookUp(phone)).toMatchObject([{ topic, state: 'on', frequency: null }])
  expect(await changed({ state: null })).toBe(1)
  const found = await operator('POST', '/recipients/lookup', { recipient: phone })
  const path = `/applications/${env.applicationId}/recipients/${found.body.recipient_token}/preference-changes`
  const entries = (await operator('GET', path)).body.items
  expect(entries.map((one: Record<string, unknown>) => [one.after, one.frequency_before, one.frequency_after])).toEqual(
    [
      [null, null, null],
      ['on', 'daily', null],
      ['on', 'daily', 'daily'],
      ['off', 'daily', 'daily'],
      ['on', null, 'daily'],
    ],
  )
  for (const bad of [
    { state: 'off', frequency: 'daily' },
    { state: null, frequency: 'daily' },
    { frequency: 'yearly' },
  ]) {
    const refused = await choose(phone, { ...rule, ...bad } as Rule)
    expectProblem(refused, 422, 'validation_failed')
    expect(refused.body.errors).toMatchObject([{ path: 'rules.0.frequency' }])
  }
})
