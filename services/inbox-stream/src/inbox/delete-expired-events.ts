import { column, defineStatement, type Run } from '@notify/database'
import { retentionBatch } from './delete-expired-items.ts'

/** Locks the inboxes of the rows in the order of their keys, as writers do. */
const remove = defineStatement({
  name: 'delete-expired-events',
  isPrepared: false,
  text: `
    with old as (
     select inbox_key, seq from inbox_events where occurred_at < now() - make_interval(secs => $1)
     order by occurred_at, seq limit ${retentionBatch}
     ), box as (select key from inboxes where key in (select inbox_key from old) order by key for update), gone as (
     delete from inbox_events e using old left join box on box.key = old.inbox_key
     where e.inbox_key = old.inbox_key and e.seq = old.seq
     returning box.key, e.seq
     ), noted as (
     update inboxes b set pruned_seq = greatest(b.pruned_seq, gone.seq)
     from (select key, max(seq) as seq from gone group by key) gone where b.key = gone.key
     )
     select count(*)::int as count from gone`,
  columns: { count: column.integer() },
})

/** Deletes a batch of events older than the retention. @returns how many there were */
export async function deleteExpiredEvents(run: Run, seconds: number): Promise<number> {
  const [row] = await run(remove, [seconds])
  return row!.count
}
