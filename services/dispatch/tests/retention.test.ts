import { beforeEach, expect, test } from '@jest/globals'
import { earliestId, newId } from '@notify/contracts'
import { endedBefore } from '@notify/database'
import { pagesReadOnceRefilled } from '@notify/test-kit/database'
import { createFailureDeletion } from '../src/outcome/failures/failure-store.ts'
import { readTally } from '../src/upkeep/balance-store.ts'
import { checkBalance } from '../src/upkeep/check-balance.ts'
import { createEndedDeletion } from '../src/upkeep/retention-store.ts'
import { db, env } from './own-schema.ts'

const dayMs = 86_400_000
const tenantId = newId('ten')
const retentionMs = 30 * dayMs

beforeEach(() => db.run('truncate notifications, attempts, in_flight, tallies'))

/** Notifications accepted the given time ago, each with one attempt; `columns` are SQL. @returns their ids */
async function store(ageMs: number, columns: Record<string, string>, count = 1): Promise<string[]> {
  const names = Object.keys(columns)
  const start = earliestId('notif', Date.now() - ageMs).slice(0, -16)
  const ids = Array.from({ length: count }, () => start + newId('notif').slice(-16))
  await db.run(
    `with inserted as (
       insert into notifications (id, tenant_id, application_id, channel, lane, mode, recipient_masked, recipient_index, credits,
         payload, ${names.join(', ')})
       select id, $2, 'app_1', 'sms', 'transactional', 'live', '+1***', 'index', 1, '', ${names.map((name) => columns[name]).join(', ')}
       from unnest($1::text[]) as id
     )
     insert into attempts (notification_id, number, id, lease_until, finished_at, outcome)
     select id, 1, 'att_' || id, now(), now(), 'accepted' from unnest($1::text[]) as id`,
    [ids, tenantId],
  )
  return ids
}

const longAgo = `now() - interval '40 days'`
const ended = { status: `'delivered'`, updated_at: longAgo }
const stored = async (table: 'notifications' | 'attempts' | 'in_flight', key: string) =>
  (await db.run<{ id: string }>(`select ${key} as id from ${table} order by 1`)).map(({ id }) => id)

async function deleteAll(): Promise<number> {
  const deleteEnded = createEndedDeletion(db)
  const before = await endedBefore(db, retentionMs)
  for (let total = 0; ; ) {
    const { deleted, more } = await deleteEnded(before)
    total += deleted
    if (!more) return total
  }
}

test('notifications that ended before the retention are deleted with their attempts; those in flight, or ended later, stay', async () => {
  await store(60 * dayMs, ended, 5)
  await store(60 * dayMs, { ...ended, expires_at: `now() + interval '1 day'` })
  const kept = [
    ...(await store(60 * dayMs, {
      status: `'scheduled'`,
      next_attempt_at: `now() + interval '1 day'`,
      updated_at: longAgo,
    })),
    ...(await store(60 * dayMs, { status: `'queued'`, updated_at: longAgo })),
    ...(await store(60 * dayMs, { status: `'sent'`, updated_at: longAgo })),
  ].sort()
  const later = [
    ...(await store(60 * dayMs, { status: `'failed'`, updated_at: 'now()' })),
    ...(await store(dayMs, ended)),
  ]
  const tally = await readTally(db)
  expect(await deleteAll()).toBe(6)
  const left = [...kept, ...later].sort()
  expect([await stored('notifications', 'id'), await stored('attempts', 'notification_id')]).toEqual([left, left])
  expect(await stored('in_flight', 'id')).toEqual(kept)
  expect(await checkBalance(db)).toMatchObject({ ...tally, in_flight: tally.accepted - tally.settled })
})

test('rows kept for open messages are deleted once these have ended for as long', async () => {
  const [id] = await store(60 * dayMs, { status: `'queued'`, updated_at: longAgo })
  expect(await deleteAll()).toBe(0)
  await db.run(`update notifications set status = 'failed', updated_at = now() where id = $1`, [id])
  expect(await deleteAll()).toBe(0)
  await db.run(`update notifications set updated_at = ${longAgo} where id = $1`, [id])
  expect(await deleteAll()).toBe(1)
})

test('several replicas delete each once, and a retry at the same moment keeps its notification', async () => {
  const ids = await store(60 * dayMs, { status: `'failed'`, updated_at: longAgo }, 2500)
  const [retried] = ids
  const client = await env.sql('dispatch').connect()
  await client.query(`begin; set search_path = dispatch`)
  await client.query(`update notifications set status = 'queued', updated_at = now() where id = $1`, [retried])
  const deleted = await Promise.all([deleteAll(), deleteAll(), deleteAll()])
  await client.query('commit')
  client.release()
  expect(deleted.reduce((sum, one) => sum + one, 0) + (await deleteAll())).toBe(2499)
  expect([await stored('notifications', 'id'), await stored('in_flight', 'id')]).toEqual([[retried], [retried]])
})

test('a batch ends with the files that reach its limit of bytes, and the next one begins behind them', async () => {
  const ids = await store(60 * dayMs, ended, 5)
  await db.run(
    `insert into attachments (id, tenant_id, content)
     select id, $2, decode(repeat('ab', 1000), 'hex') from unnest($1::text[]) as id`,
    [ids, tenantId],
  )
  const before = await endedBefore(db, retentionMs)
  const deleteEnded = createEndedDeletion(db, { fileBytes: 1500 })
  expect([await deleteEnded(before), await deleteEnded(before), await deleteEnded(before)]).toEqual([
    { deleted: 2, more: true },
    { deleted: 2, more: true },
    { deleted: 1, more: false },
  ])
  expect(await db.run('select id from attachments')).toEqual([])
})

test('a batch examines a limited number of notifications that stay, and the next one begins behind them', async () => {
  await store(60 * dayMs, { status: `'sent'`, updated_at: longAgo }, 100)
  await store(59 * dayMs, { ...ended, updated_at: 'now()' }, 100)
  await store(58 * dayMs, ended)
  const before = await endedBefore(db, retentionMs)
  const deleteEnded = createEndedDeletion(db, { examined: 100 })
  expect([await deleteEnded(before), await deleteEnded(before), await deleteEnded(before)]).toEqual([
    { deleted: 0, more: true },
    { deleted: 0, more: true },
    { deleted: 1, more: false },
  ])
})

test('no clock that runs ahead deletes anything', async () => {
  const now = (await endedBefore(db, 0)).getTime()
  expect((await endedBefore(db, 0, now + 400 * dayMs)).getTime()).toBeLessThan(now + dayMs)
  expect((await endedBefore(db, 0, now - 400 * dayMs)).getTime()).toBe(now - 400 * dayMs)
})

test('a deletion of failures with nothing due reads a few pages, also once new rows have taken the pages of deleted ones', async () => {
  const fill = (days: number) =>
    db.run(
      `insert into failure_hours (tenant_id, hour, provider_id, channel, mode, code, failures)
       select 'ten_' || n, now() - interval '${days} days', 'prov_1', 'sms', 'live', gen_random_uuid(), 1 from generate_series(1, 5000) n`,
    )
  const pages = await pagesReadOnceRefilled(db, { table: 'failure_hours', fill, createDeletion: createFailureDeletion })
  expect(pages).toBeLessThan(20)
})
