import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type NotificationFact, newId } from '@notify/contracts'
import type { Run } from '@notify/database'
import { eventually, TestEnv } from '@notify/dev-env'
import { post } from '@notify/test-kit/api'
import { addApplication } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { readUsageOfToday } from '../src/usage/usage-of-today.ts'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks', 'otp'])
})
afterAll(() => env?.stop())

const today = () => new Date().toISOString().slice(0, 10)

async function usage(query: Record<string, string>) {
  return env.api('GET', `/api/v1/usage?${new URLSearchParams(query)}`, { token: env.operatorToken })
}

const untilUsage = (query: Record<string, string>, expected: object) =>
  eventually(async () => expect((await usage(query)).body).toMatchObject(expected))

/** A fact of a message that costs credits, as dispatch publishes it. */
function fact(applicationId: string, changes: Partial<NotificationFact>): NotificationFact {
  const now = new Date().toISOString()
  return {
    notification_id: newId('notif'),
    tenant_id: env.tenantId as `ten_${string}`,
    application_id: applicationId as `app_${string}`,
    mode: 'live',
    revision: 2,
    channel: 'whatsapp',
    event_key: null,
    status: 'sent',
    recipient_masked: '+1***',
    recipient_index: 'index',
    metadata: null,
    failure_reason: null,
    retryable: false,
    retry_count: 0,
    credits: 3,
    category: 'marketing',
    created_at: now,
    occurred_at: now,
    ...changes,
  }
}

/** Publishes facts as dispatch does, in this order. */
async function publish(facts: readonly NotificationFact[], lane = 'transactional'): Promise<void> {
  for (const one of facts) {
    await env
      .sql('dispatch')
      .query('insert into outbox (subject, events) values ($1, $2)', [
        `dispatch.notification.${lane}.${one.channel}.${one.status}`,
        JSON.stringify([{ event: { ...one, lane } }]),
      ])
  }
}

test('a message costs its credits once its carrier has taken it; one that failed costs nothing', async () => {
  const { applicationId: application_id, apiKey: key } = await addApplication(env)
  const sent = await Promise.all([1, 2].map(() => post(env, smsTo(freshPhone()), { key })))
  const refused = await post(env, smsTo(freshPhone('0003')), { key })
  const state = (id: string) => env.api('GET', `/api/v1/notifications/${id}`, { key })
  const ids = [...sent, refused].map(({ body }) => body.notification_id)
  await eventually(async () => {
    const states = await Promise.all(ids.map(state))
    expect(states.map(({ body }) => body.delivery_status)).toEqual(['delivered', 'delivered', 'failed'])
  })
  await untilUsage(
    { application_id },
    {
      totals: { messages: 2, credits: 2 },
      items: [{ period: today(), application_id, channel: 'sms', category: null, messages: 2, credits: 2 }],
      next_cursor: null,
    },
  )
})

test('counts are exact however often and in whatever order facts arrive', async () => {
  const { applicationId: application_id } = await addApplication(env)
  const messages = Array.from({ length: 20 }, (_, at) => {
    const first = fact(application_id, {})
    // A third of them fails after the carrier took them.
    const status = at % 3 === 0 ? 'failed' : 'delivered'
    return [first, { ...first, revision: 3, status }] as const
  })
  const facts = messages.flat() as NotificationFact[]
  await publish([...facts, ...facts.toReversed(), ...facts])
  await untilUsage({ application_id }, { totals: { messages: 13, credits: 39 } })
  await publish(facts.toReversed())
  const marker = fact(application_id, { category: 'utility', credits: 1 })
  await publish([marker])
  await untilUsage(
    { application_id },
    {
      totals: { messages: 14, credits: 40 },
      items: [
        { category: 'marketing', messages: 13, credits: 39 },
        { category: 'utility', messages: 1, credits: 1 },
      ],
    },
  )
})

test('usage by language counts the messages whose language is known, each once', async () => {
  const { applicationId: application_id } = await addApplication(env)
  const inLanguage = (locale: string | null) => fact(application_id, { locale, requested_locale: 'de-AT' })
  const facts = [inLanguage('de'), inLanguage('de'), inLanguage('en'), inLanguage(null), fact(application_id, {})]
  const failed = { ...facts[2]!, revision: 3, status: 'failed' } as const
  await publish([...facts, ...facts, failed])
  await untilUsage({ application_id }, { totals: { messages: 4, credits: 12 } })
  const { status, body } = await env.api('GET', `/api/v1/usage/locales?application_id=${application_id}`, {
    token: env.operatorToken,
  })
  expect([status, body]).toEqual([
    200,
    {
      ...{ from: expect.any(String), to: today(), next_cursor: null },
      items: [{ period: today(), application_id, channel: 'whatsapp', locale: 'de', messages: 2, credits: 6 }],
    },
  ])
})

test('a message is charged once, also when it is retried after months or after its item is deleted', async () => {
  const { applicationId: application_id } = await addApplication(env)
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  const recent = fact(application_id, { created_at: daysAgo(92) })
  const old = fact(application_id, { created_at: daysAgo(394) })
  const span = { application_id, from: daysAgo(365).slice(0, 10) }
  await publish([recent, old])
  const charged = async () => {
    const text = 'select id, credits from activity where id = any($1)'
    return (await env.sql('gateway').query(text, [[recent.notification_id, old.notification_id]])).rows
  }
  await eventually(async () => expect(await charged()).toHaveLength(2))
  // A few days pass, and the retention deletes the older one.
  await env.sql('gateway').query('delete from activity where id = $1', [old.notification_id])
  const retried = { revision: 4, status: 'sent', retry_count: 1 } as const
  await publish([
    { ...old, ...retried, created_at: daysAgo(397) },
    { ...recent, ...retried },
    fact(application_id, { category: 'utility', credits: 1, created_at: daysAgo(1) }),
  ])
  await untilUsage(span, { totals: { messages: 2, credits: 4 } })
  expect(await charged()).toContainEqual({ id: recent.notification_id, credits: 3 })
  expect(await charged()).not.toContainEqual({ id: old.notification_id, credits: 3 })
})

test('an undelivered message stays charged while it is retried, and is no longer charged when it fails then', async () => {
  const { applicationId: application_id } = await addApplication(env)
  const [cancelled, failed] = [0, 1].map(() => fact(application_id, { status: 'undelivered', revision: 3 }))
  const after = (one: NotificationFact | undefined, status: 'queued' | 'cancelled' | 'failed', revision: number) => ({
    ...one!,
    ...{ status, revision },
  })
  await publish([cancelled!, failed!])
  await untilUsage({ application_id }, { totals: { messages: 2, credits: 6 } })
  await publish([after(cancelled, 'queued', 4), after(cancelled, 'cancelled', 5), after(failed, 'queued', 4)])
  await eventually(async () => {
    const { rows } = await env
      .sql('gateway')
      .query('select revision, credits from activity where application_id = $1 order by revision', [application_id])
    expect(rows).toEqual([
      { revision: 4, credits: 3 },
      { revision: 5, credits: 3 },
    ])
  })
  expect((await usage({ application_id })).body.totals).toEqual({ messages: 2, credits: 6 })
  await publish([after(failed, 'failed', 5)])
  await untilUsage({ application_id }, { totals: { messages: 1, credits: 3 } })
})

test('a message that failed is not charged when its retry is cancelled before its failure was counted', async () => {
  const { applicationId: application_id } = await addApplication(env)
  const [first, marker] = [fact(application_id, {}), fact(application_id, { category: 'utility', credits: 1 })]
  await publish([first])
  await untilUsage({ application_id }, { totals: { messages: 1, credits: 3 } })
  const { rows } = await env.sql('gateway').query('select credits from activity where id = $1', [first.notification_id])
  expect(rows).toEqual([{ credits: 3 }])
  const later = (['failed', 'queued', 'cancelled'] as const).map((status, at) => ({
    ...first,
    status,
    revision: 3 + at,
  }))
  const subject = (status: string) => `dispatch.notification.transactional.whatsapp.${status}`
  await env
    .sql('dispatch')
    .query('insert into outbox (subject, events) values ($1, $2)', [
      subject('cancelled'),
      JSON.stringify([...later, marker].map((one) => ({ event: { ...one, lane: 'transactional' } }))),
    ])
  await untilUsage({ application_id }, { totals: { messages: 1, credits: 1 } })
})

test('messages of test keys cost nothing', async () => {
  const { applicationId: application_id } = await addApplication(env)
  await publish([fact(application_id, { mode: 'test' }), fact(application_id, {})])
  await untilUsage({ application_id }, { totals: { messages: 1, credits: 3 } })
})

test('the message of a code costs its credits, though it is no item of the activity', async () => {
  const { applicationId: application_id } = await addApplication(env)
  await publish([fact(application_id, { channel: 'sms', category: null, credits: 1 })], 'otp')
  await untilUsage({ application_id }, { items: [{ channel: 'sms', category: null, messages: 1, credits: 1 }] })
})

test('usage is summed by month, and paged', async () => {
  const { applicationId: application_id } = await addApplication(env)
  const now = new Date()
  const dayOf = (monthsAgo: number, day: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, day)).toISOString().slice(0, 10)
  // The last day of a month is day 0 of the next one.
  const days = [dayOf(2, 0), dayOf(2, 1), dayOf(2, 2), dayOf(1, 1)]
  const months = days.map((day) => day.slice(0, 7))
  await publish(days.map((day) => fact(application_id, { created_at: `${day}T23:59:59.999Z` })))
  const span = { application_id, from: dayOf(3, 1), to: today() }
  await untilUsage(
    { ...span, interval: 'month' },
    {
      items: [
        { period: months[0], messages: 1 },
        { period: months[1], messages: 2, credits: 6 },
        { period: months[3], messages: 1 },
      ],
    },
  )
  const pages: unknown[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await usage({ ...span, limit: '1', ...(cursor ? { cursor } : {}) })
    expect(body.totals).toEqual({ messages: 4, credits: 12 })
    pages.push(...body.items.map(({ period }: { period: string }) => period))
    cursor = body.next_cursor
  }
  expect(pages).toEqual(days)
})

test.each([
  ['to', { from: '2026-02-01', to: '2026-01-01' }],
  ['from', { from: '2025-01-01', to: '2026-12-31' }],
  ['from', { from: '2999-01-01' }],
  ['from', { from: '2026-02-30' }],
  ['interval', { interval: 'hour' }],
])('a bad %s is refused: %j', async (path, query) => {
  const { status, body } = await usage(query)
  expect([status, body.errors?.[0].path]).toEqual([422, path])
})

test('the tenants that use most today are counted one by one, the others as a sum, and other days do not count', async () => {
  const gateway = env.sql('gateway')
  const run = async ({ text }: { text: string }, values: unknown[]) => (await gateway.query(text, values)).rows
  const read = () => readUsageOfToday(run as unknown as Run, 2)
  const [sum] = await readUsageOfToday(run as unknown as Run, 0)
  const known = sum?.credits ?? 0
  await gateway.query(
    `insert into usage_days (tenant_id, day, application_id, channel, category, messages, credits)
     select tenant, (now() at time zone 'UTC')::date - days, application, 'sms', '', 10, credits
     from (values ('ten_most', 0, 'a', 1e9), ('ten_most', 0, 'b', 1e9), ('ten_more', 0, 'a', 1.5e9), ('ten_less', 0, 'a', 7),
       ('ten_before', 1, 'a', 9e9)) as t (tenant, days, application, credits)`,
  )
  expect(await read()).toEqual([
    { tenant_id: 'ten_most', messages: 20, credits: 2e9 },
    { tenant_id: 'ten_more', messages: 10, credits: 1.5e9 },
    { tenant_id: null, messages: expect.any(Number), credits: known + 7 },
  ])
})
