import { column, defineStatement, type Queries, type Restored } from '@notify/database'
import { factsInto } from '../outcome/facts/fact-sql.ts'

const batch = 500

/** The failure of what a backup brought back; an operator can retry it, except items of digests. */
const restoredReason = 'restored: may have been sent after the backup'

/** Whatever is not due until then cannot have been sent; what was released since was enqueued later. */
const where = `n.enqueued_at <= $1::timestamptz and (n.next_attempt_at is null or n.next_attempt_at <= $1::timestamptz)
  and ($2::timestamptz is null or n.created_at < $2::timestamptz)
  and ($3::text is null or n.tenant_id = $3) and ($4::text is null or n.lane = $4) and ($5::text is null or n.channel = $5)`

export const valuesOf = ({ sent_until, created_before, tenant, lane, channel }: Restored) => [
  ...[sent_until, created_before, tenant, lane, channel],
]

/** Rows of a page that may have been sent; pages, because a statement with filters that match few rows would read all. */
export const waiting = `select n.* from in_flight f join notifications n using (id) where f.id in (select id from page) and ${where}
  and (f.status = 'queued' and n.status = 'queued'
    or f.next_attempt_at is not null and f.status = 'scheduled' and n.status = 'scheduled'
    or f.status = 'scheduled' and n.status = 'scheduled'
      and exists (select from digests d where d.id = n.digest_id and d.closes_at <= $1::timestamptz))`
export const pageOf = (size: number) => `page as (select id from in_flight where id > $6 order by id limit ${size})`
export const lastPage = '(select id from page order by id desc limit 1) as last'

/** Notifications are locked before their attempts, as in every statement. */
const settle = defineStatement({
  name: 'settle-restored',
  text: `
    with ${pageOf(batch)}, waiting as (${waiting}), locked as (
      select id from notifications where id = any(array(select id from waiting)) and status in ('queued', 'scheduled')
      order by id for update
    ), settled as (
      update notifications set status = 'failed', failure_reason = '${restoredReason}', retryable = digest_id is null or status <> 'scheduled',
        revision = revision + 1, sending = false, next_attempt_at = null, when_due = 'send', failovers = 0,
        held_since = null, updated_at = now()
      where id = any(array(select id from locked)) returning *
    ), closed as (
      update attempts set finished_at = now(), outcome = 'unknown', ambiguous = true
      where notification_id = any(array(select id from settled)) and finished_at is null
    ), facts as (${factsInto('settled')})
    select ${lastPage}, (select count(*)::int from settled) as count`,
  columns: { last: column.id('notif').nullable(), count: column.integer() },
})

/** Ends all of it as failed, each page in a transaction of its own. @returns how many there were */
export function settleRestored(db: Queries, restored: Restored): Promise<number> {
  return sumOfPages('', (after) => db.runLong(settle, [...valuesOf(restored), after]))
}

/** Runs a statement for each page, from the one after `first`. */
export async function sumOfPages(
  first: string,
  run: (after: string) => Promise<{ last: string | null; count: number }[]>,
): Promise<number> {
  let total = 0
  for (let after: string | null = first; after !== null; ) {
    const [page]: { last: string | null; count: number }[] = await run(after)
    total += page!.count
    after = page!.last
  }
  return total
}
