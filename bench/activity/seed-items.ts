import { Channel } from '@notify/contracts'
import type { Stack } from '@notify/dev-env'
import { createBlindIndex } from '@notify/privacy'
import pg from 'pg'

/** A recipient with a handful of items, and one with a hundredth of all. */
export const recipients = { usual: '+15550001000', busy: '+15550002000' }
export const rareEvent = 'audit.closed'
const pageSize = 10_000
const lastMs = Date.UTC(2026, 10, 1)
const everyMs = 2500

/** When the item of this age was created; the newest has age 0. */
export const timeOf = (age: number) => new Date(lastMs - age * everyMs)

/**
 * Adds items through the table and its triggers, the newest first. Few have failed, fewer are of test keys, and one in ten
 * thousand has a rare event.
 */
export async function seedItems(stack: Stack, count: number): Promise<void> {
  const database = new pg.Client({ connectionString: stack.databaseUrl('gateway') })
  await database.connect()
  try {
    await insertItems(database, stack, count)
  } finally {
    await database.end()
  }
  await checkpoint(stack)
}

/** Writes the inserted rows to disk before the measurement. */
async function checkpoint({ adminDatabaseUrl }: Stack): Promise<void> {
  const admin = new pg.Client({ connectionString: adminDatabaseUrl })
  await admin.connect()
  await admin.query('checkpoint')
  await admin.end()
}

async function insertItems(database: pg.Client, stack: Stack, count: number): Promise<void> {
  // The timeout of the role is for requests.
  await database.query('set statement_timeout = 0')
  const { tenant_id, application_id, blind_index_key } = stack.state
  await database.query(
    `insert into applications (id, tenant_id, name)
     select 'app_01jd3x8qk5w9t2m4v6b8n0p2' || lpad(n::text, 2, '0'), $1, 'Shop ' || n from generate_series(1, 9) n
     on conflict do nothing`,
    [tenant_id],
  )
  const indexOf = createBlindIndex(Buffer.from(blind_index_key, 'base64'))
  const [usual, busy] = [recipients.usual, recipients.busy].map((recipient) => indexOf(tenant_id, recipient))
  for (let start = 0; start < count; start += pageSize) {
    await database.query(insert, [
      ...[Math.min(count, start + pageSize) - 1, start, tenant_id, application_id, usual, busy, rareEvent],
      ...[timeOf(0), everyMs, channelsByShare],
    ])
  }
  await database.query('vacuum (analyze) activity')
  await database.query('analyze activity_totals, activity_buckets')
}

/** Most items are of the first two channels. */
const channelsByShare = Channel.options.flatMap((channel, at) => Array<string>([4, 3][at] ?? 1).fill(channel))

const insert = `
  insert into activity (id, tenant_id, application_id, revision, mode, channel, status, event_key, recipient_masked,
    recipient_index, failure_reason, retryable, retry_count, created_at, updated_at)
  select 'notif_0' || lpad((2000000000 - n)::text, 25, '0'), $3,
    case when n % 10 = 0 then $4 else 'app_01jd3x8qk5w9t2m4v6b8n0p2' || lpad((n % 10)::text, 2, '0') end, 3,
    case when n % 97 = 0 then 'test' else 'live' end, channel, status,
    case when n % 10000 = 17 then $7 when n % 4 > 0 then 'event.' || n % 10 || '.' || n % 3 end, '+15*****1000',
    case when n % 100 = 7 then $6 when n % 50000 = 11 then $5 else md5((n % 200000)::text) end,
    case when status in ('failed', 'undelivered') then 'Unreachable destination handset' end,
    status in ('failed', 'undelivered') and n % 2 = 0, 0, created_at, created_at
  from generate_series($2::int, $1::int) as n
  cross join lateral (select
    ($10::text[])[1 + abs(hashint4(n)) % cardinality($10::text[])] as channel,
    case when abs(hashint4(n + 1)) % 100 < 3 then 'failed' when abs(hashint4(n + 2)) % 100 < 2 then 'undelivered'
      when n % 1000 = 3 then 'queued' when n % 20 = 1 then 'sent' else 'delivered' end as status,
    $8::timestamptz - n::float8 * $9::int * interval '1 millisecond' as created_at) as of`
