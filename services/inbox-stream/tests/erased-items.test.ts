import { beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import type { Queries } from '@notify/database'
import { countRowsRead, many, useOwnSchema } from '@notify/test-kit/database'
import { migrations } from '../src/db/migrations.ts'
import { applicationsOf, eraseInboxes } from '../src/erasure/erasure-store.ts'
import { deleteExpired } from '../src/inbox/delete-expired.ts'
import { retentionBatch } from '../src/inbox/delete-expired-items.ts'
import { deleteItem } from '../src/inbox/delete-item.ts'

const [tenantId, applicationId] = [newId('ten'), newId('app')]
const dayMs = 86_400_000

let db: Queries
useOwnSchema('inbox-stream', { migrations, poolSize: 1 }, (own) => {
  db = own.db
})

/** Adds an inbox with unread notifications, each with its event. */
async function addItems(key: string, count: number, age = '0 days'): Promise<void> {
  await db.runLong(
    `insert into inboxes (key, tenant_id, application_id, last_seq, unread_count) values ($1, $2, $3, $4, $4)
     on conflict (key) do update set last_seq = inboxes.last_seq + $4, unread_count = inboxes.unread_count + $4`,
    [key, tenantId, applicationId, count],
  )
  await db.runLong(
    `with items as (
       insert into inbox_items (id, tenant_id, inbox_key, notification_id, seq, touched_seq, content, created_at)
       select 'inapp_' || gen_random_uuid(), $2, key, 'notif_' || gen_random_uuid(), last_seq - i, last_seq - i, '', now() - $4::interval
       from inboxes, generate_series(0, $3::int - 1) i where key = $1
       returning *
     )
     insert into inbox_events (inbox_key, seq, kind, item_id, unread_count, occurred_at)
     select inbox_key, seq, 'created', id, seq, created_at from items`,
    [key, tenantId, count, age],
  )
}

/** Erases the notifications of an inbox, as the command does. */
async function erase(key: string, on = db): Promise<void> {
  while ((await eraseInboxes(on, [key])) > 0);
}

beforeAll(async () => {
  await db.run(`insert into applications (id, tenant_id, revision, status) values ($1, $2, 1, 'active')`, [
    applicationId,
    tenantId,
  ])
})

test('the retention deletes what an erasure has left and what has no inbox, and goes on to the inboxes of others', async () => {
  await addItems('erased before', retentionBatch, '100 days')
  await erase('erased before')
  // Stored while its user was erased.
  await addItems('gone', 1, '99 days')
  await db.run(`delete from inboxes where key = 'gone'`)
  await addItems('kept', 2, '98 days')
  await addItems('kept', 1)
  while (await deleteExpired(db, 90 * dayMs));
  expect(await db.run('select inbox_key, seq from inbox_items')).toEqual([{ inbox_key: 'kept', seq: 3 }])
  expect(await db.run('select inbox_key, seq from inbox_events')).toEqual([{ inbox_key: 'kept', seq: 3 }])
  const inboxes = await db.run('select key, pruned_seq, unread_count from inboxes')
  expect(inboxes).toEqual([{ key: 'kept', pruned_seq: 2, unread_count: 1 }])
})

test('an erasure finds an inbox, deleted notifications included, without reading those of others', async () => {
  for (let at = 0; at < 10; at++) await addItems(`other ${at}`, many / 10)
  await db.runLong(
    `insert into inboxes (key, tenant_id, application_id, last_seq, unread_count)
     select 'empty ' || i, $1, $2, 0, 0 from generate_series(1, $3::int) i`,
    [tenantId, applicationId, many],
  )
  await addItems('theirs', 3)
  const [deleted] = await db.run<{ id: `inapp_${string}` }>(`select id from inbox_items where inbox_key = 'theirs'`)
  await deleteItem(db, 'theirs', deleted!.id)
  await db.run('analyze inboxes, inbox_items, inbox_events')
  const tables = ['applications', 'inboxes', 'inbox_items', 'inbox_events']
  const read = await countRowsRead(db, tables, async (on) => {
    expect(await applicationsOf(on, tenantId)).toEqual([applicationId])
    await erase('theirs', on)
  })
  expect(read).toBeLessThan(100)
  for (const [table, key] of Object.entries({ inboxes: 'key', inbox_items: 'inbox_key', inbox_events: 'inbox_key' }))
    expect(await db.run(`select from ${table} where ${key} = 'theirs'`)).toEqual([])
})
