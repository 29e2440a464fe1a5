import { beforeAll, expect, test } from '@jest/globals'
import { earliestId, newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { TestEnv } from '@notify/dev-env'
import { countRowsRead, entriesOfBatch, pagesReadOnceRefilled, useOwnSchema } from '@notify/test-kit/database'
import type { ActivityFilter } from '../src/activity/activity-filter.ts'
import { listItems } from '../src/activity/item-store.ts'
import { createItemDeletion, deleteEmptyBuckets, endOldRetries } from '../src/activity/retention-store.ts'
import { countItems } from '../src/activity/total-store.ts'
import { migrations } from '../src/db/migrations.ts'
import { eraseRetryJobs } from '../src/erasure/erasure-store.ts'
import {
  createRequestCountDeletion,
  createRequestDeletion,
  listRequestRows,
  type RequestFilter,
} from '../src/requests/request-store.ts'
import type { RetryJobRow } from '../src/retries/retry-job.ts'
import { openPage } from '../src/retries/retry-store.ts'
import type { StoredFilters } from '../src/retries/stored-filters.ts'
import { createChargeDeletion } from '../src/usage/usage-store.ts'

const many = 20_000
const tenantId = 'ten_1'
/** Of the kinds below there are 2 × 3 × 4 × 2; each may cost a row, and the ranges of a page their limit. */
const mostRows = 1000

let env: TestEnv
let db: Queries
useOwnSchema('gateway', { migrations, poolSize: 1 }, (own) => {
  ;({ env, db } = own)
})

/** 20,000 items; few have failed, of which every filter must find those it wants without reading the others. */
beforeAll(async () => {
  for (let start = 0; start < many; start += 2000) {
    await db.runLong(
      `insert into activity (id, tenant_id, application_id, revision, mode, channel, status, event_key, recipient_masked,
         recipient_index, retryable, retry_count, created_at, updated_at, locale, broadcast_id)
       select 'notif_0' || lpad(n::text, 25, '0'), '${tenantId}', 'app_' || n % 2, 1, case when n % 50 = 1 then 'test' else 'live' end,
         (array['sms', 'email', 'webhook'])[n % 3 + 1],
         case when n % 100 = 1 then 'failed' when n % 500 = 2 then 'queued' when n % 2 = 1 then 'sent' else 'delivered' end,
         'event.' || n % 4, '+1', 'recipient ' || n % 2000, n % 200 = 1, 0, timestamptz '2026-01-01Z' + n * interval '1 minute', now(), case when n % 100 = 3 then 'de' end,
         case when n % 4 < 3 then 'bc_1' end
       from generate_series($1::int, $1::int + 1999) n`,
      [start],
    )
  }
  await db.run('analyze activity, activity_totals, activity_buckets')
})

const middle = '2026-01-07T12:00:00.000Z'
const filters: Omit<ActivityFilter, 'tenantId'>[] = [
  {},
  { status: 'failed' },
  { status: 'delivered' },
  { status: 'queued', channel: 'webhook' },
  { channel: 'email' },
  { mode: 'test' },
  { applicationId: 'app_1', retryable: true },
  { eventKey: 'event.1' },
  { eventKey: 'event.1', status: 'failed', mode: 'live' },
  { broadcastId: 'bc_1', status: 'failed' },
  { broadcastId: 'bc_1', retryable: true },
  { locale: 'de' },
  { locale: 'de', status: 'sent', channel: 'sms' },
  { recipientIndex: 'recipient 7' },
  { recipientIndex: 'recipient 7', status: 'failed', channel: 'sms' },
  { from: new Date('2026-01-03T10:17:00Z'), to: new Date('2026-01-09T10:17:00Z') },
  { status: 'failed', to: new Date(middle) },
]

test.each(filters.map((filter) => [JSON.stringify(filter), filter] as const))(
  'a page costs few rows, first or deep, and so does its count: %s',
  async (_name, filter) => {
    for (const after of [undefined, { createdAt: middle, id: 'notif_z' }]) {
      const tables = ['activity', 'activity_totals']
      const read = await countRowsRead(db, tables, (on) => listItems(on, { ...filter, tenantId }, { after, limit: 21 }))
      expect(read).toBeLessThan(mostRows)
    }
    const read = await countRowsRead(db, ['activity'], (on) => countItems(on, { ...filter, tenantId }))
    expect(read).toBeLessThan(mostRows)
  },
)

/** A thousand items of each kind at most, of 5,000, 15,000 and 10. */
test.each<[string, Omit<ActivityFilter, 'tenantId'>, number]>([
  ['no item of the event', { eventKey: 'event.1', locale: 'de' }, 4000],
  ['no item of the broadcast', { broadcastId: 'bc_1', locale: 'de' }, 8000],
  ['the items of the recipient', { recipientIndex: 'recipient 7', status: 'sent' }, 100],
])('a job of retries reads few rows at once, and reaches the end, though it wants %s', async (_name, filter, most) => {
  const job = await newRetryJob()
  const isFinished = async () =>
    (await db.run('select from retry_jobs where id = $1 and finished_at is not null', [job.id])).length > 0
  const found: string[] = []
  while (!(await isFinished())) {
    const read = await countRowsRead(db, ['activity'], async (on) => {
      found.push(...((await openPage(on, job, { ...filter, tenantId }, 10)) ?? []))
    })
    expect(read).toBeLessThan(most)
    await db.run('update retry_jobs set page = null where id = $1', [job.id])
  }
  const wanted = await listItems(db, { ...filter, tenantId }, { limit: 100 })
  expect(found).toEqual(wanted.map(({ transaction_id }) => transaction_id))
})

async function newRetryJob(filters: StoredFilters = {}): Promise<RetryJobRow> {
  const [job] = await db.run<RetryJobRow>(
    `insert into retry_jobs (id, tenant_id, requested_by, filters, count, count_capped, next_at)
     values ($1, $2, 'op', $3, 0, false, now()) returning *`,
    [newId('retry'), tenantId, JSON.stringify(filters)],
  )
  return job!
}

test('the retry jobs of an erased person end, so that none examines the items of all erased persons', async () => {
  const job = await newRetryJob({ recipient_index: 'recipient 9' })
  const person = { tenantId, recipient: '+15550100', index: 'recipient 9', forgetStops: false } as const
  expect(await eraseRetryJobs(db, person)).toBe(1)
  const left = await db.run('select finished_at, next_at from retry_jobs where id = $1', [job.id])
  expect(left).toEqual([{ finished_at: expect.any(Date), next_at: null }])
})

test('the retention finds nothing to delete without reading the items', async () => {
  const read = await countRowsRead(db, ['activity'], (on) => createItemDeletion(on)(Date.now()))
  expect(read).toBeLessThan(10)
})

test('the end of old retries reads no items but the retryable ones', async () => {
  // A hundred of them, which have changed lately.
  expect(await countRowsRead(db, ['activity'], (on) => endOldRetries(on, 30 * dayMs))).toBeLessThan(250)
})

test('each batch of the retention reads its own entries alone, also while nothing can be vacuumed', async () => {
  const deleteOldItems = createItemDeletion(db)
  const deletion = { index: 'activity_pkey', deleteBatch: () => deleteOldItems(0), after: 5 }
  // To find a thousand and to delete them, not the five thousand before.
  expect(await entriesOfBatch(db, env.sql('gateway'), deletion)).toBeLessThan(2500)
})

const dayMs = 86_400_000
/** The time that was so many days ago, and an id of it, as SQL. */
const timeOf = (days: number) => `now() - interval '${days} days'`
const idOf = (prefix: 'notif' | 'req', days: number) =>
  `'${earliestId(prefix, Date.now() - days * dayMs).slice(0, -8)}' || lpad(n::text, 8, '0')`

test.each([
  {
    table: 'usage_messages',
    select: (days: number) => `${idOf('notif', days)}, 1, 1`,
    createDeletion: (on: Queries) => () => createChargeDeletion(on)(90 * dayMs),
  },
  {
    table:
      'api_requests (tenant_id, application_id, id, mode, requested_at, request_id, key_id, method, path, status, duration_ms)',
    select: (days: number) =>
      `'ten_1', 'app_1', ${idOf('req', days)}, 'live', ${timeOf(days)}, 'req', 'key_1', 'GET', '/', 200, 1`,
    createDeletion: createRequestDeletion,
  },
  {
    table: 'api_request_counts',
    select: (days: number) => `'ten_' || n, 'app_1', 'live', ${timeOf(days)}, 400, gen_random_uuid(), 1`,
    createDeletion: createRequestCountDeletion,
  },
])(
  'a deletion with nothing due reads a few pages, also once new rows have taken the pages of deleted ones: $table',
  async ({ table, select, createDeletion }) => {
    const fill = (days: number) => db.run(`insert into ${table} select ${select(days)} from generate_series(1, 5000) n`)
    expect(await pagesReadOnceRefilled(db, { table: table.split(' ')[0]!, fill, createDeletion })).toBeLessThan(20)
  },
)

test('a deletion of empty counters with nothing due reads a few pages of each tenant, however many times they have counters of', async () => {
  await db.run('truncate activity_buckets')
  const fill = (days: number) =>
    db.run(
      `insert into activity_buckets
       select 'ten_' || n % 5, 'app_1', 'hour', ${timeOf(days)} - n * interval '1 second', 'live', 'sms', 'sent', 0
       from generate_series(1, 5000) n`,
    )
  const createDeletion = (on: Queries) => () => deleteEmptyBuckets(on, 90 * dayMs)
  const pages = await pagesReadOnceRefilled(db, { table: 'activity_buckets', fill, createDeletion })
  expect(pages).toBeLessThan(60)
})

test.each<Partial<RequestFilter>>([{ key_id: 'key_idle' }, { mode: 'test' }, { code: 'gone' }, { outcome: 'refused' }])(
  'a filter of the log of requests that finds nothing reads next to nothing: %j',
  async (asked) => {
    await db.run(
      `insert into api_requests (tenant_id, application_id, id, mode, requested_at, request_id, key_id, method, path, status, code, duration_ms)
       select 'ten_log', 'app_1', 'req_' || lpad(n::text, 8, '0'), 'live', now(), 'req', 'key_1', 'GET', '/', 200, null, 1
       from generate_series(1, 5000) n on conflict do nothing`,
    )
    await db.run('analyze api_requests')
    const filter: RequestFilter = { tenantId: 'ten_log', applicationId: 'app_1', outcome: 'all', ...asked }
    const page = { after: undefined, limit: 21 }
    expect(await countRowsRead(db, ['api_requests'], ({ run }) => listRequestRows(run, filter, page))).toBeLessThan(10)
  },
)
