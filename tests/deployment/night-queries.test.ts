import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { provisionServices, readerRole } from '@notify/database/provision'
import { TestEnv } from '@notify/dev-env'
import pg from 'pg'
import { readText } from './project.ts'

const night = readText('docs/night.md')
const tables = ['dispatch.notifications', 'dispatch.attempts', 'otp.transactions', 'webhook_delivery.deliveries']
const queries = [...night.matchAll(/^psql "\$DATABASE_URL" -c "(.+)"$/gm)]
  .map(([, query]) => query!)
  .filter((query) => tables.some((table) => query.includes(table)))

/** Each table has this many rows of weeks before, on more than a thousand pages, and behind them ten of this minute. */
const old = 100_000
const source = `generate_series(1, ${old + 10}) as i cross join lateral (
  select lpad(i::text, 26, '0') as id,
    now() - case when i <= ${old} then interval '2 days' + (${old} - i) * interval '20 s' else interval '30 s' end as made_at) as made`
const fillings = [
  `insert into dispatch.providers (id, tenant_id, channel, kind, name, priority, credentials)
   values ('prov_1', 'ten_1', 'sms', 'twilio', 'SMS', 100, '')`,
  `insert into dispatch.notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits,
     status, created_at)
   select 'notif_' || id, 'ten_1', 'app_1', 'sms', 'transactional', 'live', '+1***', 'index', 1, 'failed', made_at from ${source}`,
  `insert into dispatch.attempts (notification_id, number, id, provider_id, started_at, lease_until, finished_at, outcome)
   select 'notif_' || id, 1, 'att_' || id, 'prov_1', made_at, made_at, made_at,
     case i % 2 when 0 then 'accepted' else 'rejected_permanent' end from ${source}`,
  `insert into otp.transactions (id, tenant_id, application_id, mode, channel, recipient_masked, recipient_index, length, ttl_seconds,
     notification_id, expires_at, created_at)
   select 'otp_' || id, 'ten_1', 'app_1', 'live', 'sms', '+1***', 'index', 6, 300, 'notif_' || id, made_at, made_at from ${source}`,
  `insert into webhook_delivery.deliveries (id, tenant_id, application_id, endpoint_id, subscription_id, event_type, body, created_at,
     status, attempts, next_attempt_at, finished_at)
   select 'whdel_' || id, 'ten_1', 'app_1', 'whsub_' || id, 'whsub_' || id, 'notification.failed', '', made_at,
     case when i <= ${old} then 'succeeded' else 'pending' end, 1, case when i > ${old} then made_at end,
     case when i <= ${old} then made_at end from ${source}`,
]

let env: TestEnv
let readerUrl: string
let reader: pg.Pool
beforeAll(async () => {
  env = await TestEnv.start([], { migrated: true })
  await provisionServices(env.stack.adminDatabaseUrl, [], { readerPassword: readerRole })
  const url = new URL(env.stack.adminDatabaseUrl)
  Object.assign(url, { username: readerRole, password: readerRole })
  readerUrl = url.href
  reader = new pg.Pool({ connectionString: readerUrl, max: 1 })
  for (const filling of fillings) await env.admin.query(filling)
  // As autovacuum does it.
  await env.admin.query('select brin_summarize_new_values(name::regclass) from unnest($1::text[]) as name', [
    ['dispatch.notifications_created_at', 'dispatch.attempts_started_at', 'otp.transactions_created_at'],
  ])
  await env.admin.query(`analyze ${tables.join(', ')}`)
})
afterAll(async () => {
  await reader?.end()
  await env?.stop()
})

test('every question about messages is tried here', () => {
  expect(queries.length).toBeGreaterThanOrEqual(10)
})

test.each(queries)('few pages of full tables are read by: %s', async (query) => {
  const { rows } = await reader.query(`explain (analyze, buffers, format json) ${query}`)
  const plan = rows[0]['QUERY PLAN'][0].Plan
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(500)
})

test('the reader may wait longer, by the option that the manual names', async () => {
  const [, options] = /`PGOPTIONS='([^']+)'`/.exec(night)!
  const patient = new pg.Client({ connectionString: readerUrl, options: options! })
  await patient.connect()
  try {
    expect((await patient.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '10min' }])
    expect((await reader.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }])
  } finally {
    await patient.end()
  }
})
