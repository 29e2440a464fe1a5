import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type NotificationFact, newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { post, untilState } from '@notify/test-kit/api'
import { freshPhone, send, smsTo, untilTemplatesRender } from '@notify/test-kit/sms'

const zone = 'Europe/Berlin'
const hourMs = 3_600_000

let env: TestEnv
beforeAll(async () => {
  // The zone of a process is set when it starts.
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], { apart: 'all', env: { all: { TZ: zone } } })
  await setZone(zone)
  // Sessions of before keep their zone.
  for (const name of ['gateway', 'dispatch-api', 'dispatch-worker'] as const) await env.restart(name)
  await untilTemplatesRender(env)
})
afterAll(() => env?.stop())

/** Sets the time zone of new sessions of Postgres. */
const setZone = (name: string) =>
  env.admin.query(
    `do $$ begin execute format('alter database %I set timezone to %L', current_database(), '${name}'); end $$`,
  )

async function hasHappened(facts: readonly NotificationFact[]): Promise<void> {
  const events = JSON.stringify(facts.map((fact) => ({ event: { ...fact, lane: 'transactional' } })))
  const subject = 'dispatch.notification.transactional.sms.delivered'
  await env.sql('dispatch').query('insert into outbox (subject, events) values ($1, $2)', [subject, events])
}

const ask = async (path: string, query: Record<string, string>) =>
  (await env.api('GET', `/api/v1/${path}?${new URLSearchParams(query)}`, { token: env.operatorToken })).body

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

/** When clocks were changed last in the month, 0 to 11: at 01:00 UTC of its last Sunday. At least three days ago. */
function changeIn(month: number): Date {
  const inYear = (year: number) => {
    const last = new Date(Date.UTC(year, month + 1, 0, 1))
    return new Date(last.getTime() - last.getUTCDay() * 24 * hourMs)
  }
  const year = new Date().getUTCFullYear()
  return inYear(year).getTime() < Date.now() - 72 * hourMs ? inYear(year) : inYear(year - 1)
}

function factAt(moment: Date, applicationId: string): NotificationFact {
  const at = moment.toISOString()
  return {
    notification_id: newId('notif'),
    tenant_id: env.tenantId as `ten_${string}`,
    application_id: applicationId as `app_${string}`,
    mode: 'live',
    revision: 2,
    channel: 'sms',
    event_key: null,
    status: 'delivered',
    recipient_masked: '+1***',
    recipient_index: 'index',
    metadata: null,
    failure_reason: null,
    retryable: false,
    retry_count: 0,
    credits: 1,
    category: null,
    created_at: at,
    occurred_at: at,
  }
}

test.each([
  ['end of summer time', changeIn(9)],
  ['beginning of summer time', changeIn(2)],
])('hours and days are those of UTC over the %s', async (_, change) => {
  const application_id = newId('app')
  const hours = (after: number) => new Date(change.getTime() + after * hourMs)
  // Near both midnights, of UTC and of Berlin, and on both sides of the change.
  const moments = [-3, -1, -0.5, 0.5, 22.5, 23].map(hours)
  await hasHappened(moments.map((at) => factAt(at, application_id)))
  const days = [-24, 0, 24].map((after) => dayOf(hours(after)))

  await eventually(async () => {
    const { items } = await ask('usage', { application_id, from: days[0]!, to: days[2]! })
    const perDay = items.map(({ period, messages }: { period: string; messages: number }) => [period, messages])
    expect(perDay).toEqual([
      [days[0], 1],
      [days[1], 4],
      [days[2], 1],
    ])
  })
  const countsOf = async (interval: string, from: Date, to: Date) => {
    const query = { application_id, interval, from: from.toISOString(), to: to.toISOString() }
    const { buckets } = await ask('activity/summary', query)
    return buckets.map(({ starts_at, counts }: { starts_at: string; counts: { count: number }[] }) => [
      starts_at,
      counts.reduce((sum, { count }) => sum + count, 0),
    ])
  }
  await eventually(async () =>
    expect(await countsOf('hour', hours(-3), hours(1))).toEqual([
      [hours(-3).toISOString(), 1],
      [hours(-2).toISOString(), 0],
      [hours(-1).toISOString(), 2],
      [hours(0).toISOString(), 1],
    ]),
  )
  expect(await countsOf('day', hours(-25), hours(47))).toEqual([
    [`${days[0]}T00:00:00.000Z`, 1],
    [`${days[1]}T00:00:00.000Z`, 4],
    [`${days[2]}T00:00:00.000Z`, 1],
  ])
})

test('a time in a text is right, although the zone of the process skips an hour near it', async () => {
  const change = changeIn(2).toISOString()
  const times = { after: change.replace('T01:00', 'T01:30'), wall: `${change.slice(0, 10)}T02:30` }
  const phone = freshPhone()
  const body = '{{ after | date: "%H:%M" }} {{ wall | date: "%H:%M" }}'
  const { status } = await post(env, smsTo(phone, { body, template_data: times, time_zone: 'UTC' }))
  expect(status).toBe(202)
  await eventually(async () => expect((await env.messages({ to: phone }))[0]?.text).toBe('01:30 02:30'))
})

test('a message is sent at the moment that its caller names, whatever the offset', async () => {
  const moment = Date.now() + 5000
  const berlin = new Date(moment + 2 * hourMs).toISOString().replace('Z', '+02:00')
  const id = await send(env, freshPhone(), { send_at: berlin })
  const state = await untilState(env, id, { delivery_status: 'delivered' })
  expect(state.send_at).toBe(new Date(moment).toISOString())
  expect(Date.parse(state.attempts[0].started_at)).toBeGreaterThanOrEqual(moment)
})

test('the messages of a day are those of UTC, although the zone of Postgres is far to the west', async () => {
  await setZone('America/New_York')
  await env.restart('gateway')
  const application_id = newId('app')
  const [before, day, after] = [-3, -2, -1].map((days) => dayOf(new Date(Date.now() + days * 24 * hourMs)))
  const moments = [`${before}T23:30:00Z`, `${day}T00:30:00Z`, `${day}T23:30:00Z`, `${after}T00:30:00Z`]
  await hasHappened(moments.map((at) => factAt(new Date(at), application_id)))
  const whole = { application_id, from: before!, to: after! }
  await eventually(async () => expect((await ask('usage', whole)).items).toHaveLength(3))
  const { items } = await ask('usage/messages', { application_id, from: day!, to: day! })
  expect(items).toMatchObject([{ period: day, messages: 2 }])
})
