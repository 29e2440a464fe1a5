import type { Queries, Run } from '@notify/database'

const retentionBatch = 1000

/** Deletes notifications and events whose time is over. @returns whether more are left */
export async function deleteExpired(db: Queries, retentionMs: number): Promise<boolean> {
  const seconds = retentionMs / 1000
  const items = await db.transaction((run) => deleteExpiredItems(run, seconds))
  const events = await db.transaction((run) => deleteExpiredEvents(run, seconds))
  await db.run('delete from waiting_items where arrived_at < now() - make_interval(secs => $1)', [seconds])
  return items === retentionBatch || events === retentionBatch
}

/** Locks the inboxes of rows in the order of their keys, as writers do. */
const lockOf = (rows: string) =>
  `select key, read_all_seq from inboxes where key in (select inbox_key from ${rows}) order by key for update`

async function deleteExpiredItems(run: Run, seconds: number): Promise<number> {
  const [row] = await run<{ count: number }>(
    `with old as (
       select id, inbox_key from inbox_items where created_at < now() - make_interval(secs => $1)
       order by created_at limit ${retentionBatch}
     ), box as (${lockOf('old')}), gone as (
       delete from inbox_items i using box where i.inbox_key = box.key and i.id in (select id from old)
       returning i.inbox_key, i.deleted_at is null and not i.is_read and i.touched_seq > box.read_all_seq as was_unread
     ), counted as (
       update inboxes b set unread_count = b.unread_count - sums.unread
       from (select inbox_key, count(*) filter (where was_unread) as unread from gone group by inbox_key) sums
       where b.key = sums.inbox_key and sums.unread > 0
     )
     select count(*)::int as count from gone`,
    [seconds],
  )
  return row!.count
}

async function deleteExpiredEvents(run: Run, seconds: number): Promise<number> {
  const [row] = await run<{ count: number }>(
    `with old as (
       select inbox_key, seq from inbox_events where occurred_at < now() - make_interval(secs => $1)
       order by occurred_at, seq limit ${retentionBatch}
     ), box as (${lockOf('old')}), gone as (
       delete from inbox_events e using old where e.inbox_key = old.inbox_key and e.seq = old.seq
         and exists (select from box where box.key = e.inbox_key)
       returning e.inbox_key, e.seq
     ), noted as (
       update inboxes b set pruned_seq = greatest(b.pruned_seq, gone.seq)
       from (select inbox_key, max(seq) as seq from gone group by inbox_key) gone where b.key = gone.inbox_key
     )
     select count(*)::int as count from gone`,
    [seconds],
  )
  return row!.count
}
