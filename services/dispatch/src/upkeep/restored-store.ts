import type { Queries, Restored, Statement } from '@notify/database'
import { factsInto } from '../outcome/facts/fact-sql.ts'

const batch = 500
/** Rows read by a statement that counts or deletes. */
const pageSize = 5000

/** The failure of what a backup brought back; an operator can retry it. */
const restoredReason = 'restored: may have been sent after the backup'

/** Whatever is not due until then cannot have been sent; what was released since was enqueued later. */
const where = `n.enqueued_at <= $1::timestamptz and (n.next_attempt_at is null or n.next_attempt_at <= $1::timestamptz)
  and ($2::timestamptz is null or n.created_at < $2::timestamptz)
  and ($3::text is null or n.tenant_id = $3) and ($4::text is null or n.lane = $4) and ($5::text is null or n.channel = $5)`

const valuesOf = ({ sent_until, created_before, tenant, lane, channel }: Restored) => [
  sent_until,
  created_before,
  tenant,
  lane,
  channel,
]

/** Rows of a page that may have been sent; pages, because a statement with filters that match few rows would read all. */
const waiting = `select n.* from in_flight f join notifications n using (id) where f.id in (select id from page) and ${where}
  and (f.status = 'queued' and n.status = 'queued'
    or f.next_attempt_at is not null and f.status = 'scheduled' and n.status = 'scheduled')`
const pageOf = (size: number) => `page as (select id from in_flight where id > $6 order by id limit ${size})`
const lastPage = '(select id from page order by id desc limit 1) as last'

interface Group {
  lane: string
  channel: string
  tenant_id: string
  status: string
  count: number
  /** Unix time in milliseconds, as the next. */
  oldest: number
  newest: number
}

const msOf = (of: 'min' | 'max') => `(extract(epoch from ${of}(created_at)) * 1000)::float8`
const countPage = `
  with ${pageOf(pageSize)}, groups as (
    select lane, channel, tenant_id, status, count(*)::int as count, ${msOf('min')} as oldest, ${msOf('max')} as newest
    from (${waiting}) as waiting group by 1, 2, 3, 4
  )
  select ${lastPage}, (select coalesce(json_agg(groups), '[]') from groups) as groups`

/** Counts what waits and may have been sent already, by lane, channel and tenant. */
export async function countRestored(db: Queries, restored: Restored): Promise<object[]> {
  const found = new Map<string, Group>()
  for (let after: string | null = ''; after !== null; ) {
    const [page]: { last: string | null; groups: Group[] }[] = await db.runLong(countPage, [
      ...valuesOf(restored),
      after,
    ])
    for (const group of page!.groups) {
      const key = [group.lane, group.channel, group.tenant_id, group.status].join(' ')
      const same = found.get(key)
      found.set(key, same ? joined(same, group) : group)
    }
    after = page!.last
  }
  return [...found.keys()].toSorted().map((key) => {
    const { oldest, newest, ...group } = found.get(key)!
    return { ...group, oldest: new Date(oldest), newest: new Date(newest) }
  })
}

const joined = (one: Group, other: Group): Group => ({
  ...one,
  count: one.count + other.count,
  oldest: Math.min(one.oldest, other.oldest),
  newest: Math.max(one.newest, other.newest),
})

/** Notifications are locked before their attempts, as in every statement. */
const settle: Statement = {
  name: 'settle-restored',
  text: `
    with ${pageOf(batch)}, waiting as (${waiting}), locked as (
      select id from notifications where id = any(array(select id from waiting)) and status in ('queued', 'scheduled')
      order by id for update
    ), settled as (
      update notifications set status = 'failed', failure_reason = '${restoredReason}', retryable = true,
        revision = revision + 1, sending = false, next_attempt_at = null, when_due = 'send', failovers = 0,
        held_since = null, updated_at = now()
      where id = any(array(select id from locked)) returning *
    ), closed as (
      update attempts set finished_at = now(), outcome = 'unknown', ambiguous = true
      where notification_id = any(array(select id from settled)) and finished_at is null
    ), facts as (${factsInto('settled')})
    select ${lastPage}, (select count(*)::int from settled) as count`,
}

/** Ends all of it as failed, each page in a transaction of its own. @returns how many there were */
export function settleRestored(db: Queries, restored: Restored): Promise<number> {
  return sumOfPages('', (after) => db.runLong(settle, [...valuesOf(restored), after]))
}

/** Work of the outbox was perhaps published after the backup. What is still queued is published again from its notification. */
const workPage = `
  with page as (
    select id, created_at <= $1::timestamptz and exists (select from unnest($2::text[]) prefix where starts_with(subject, prefix)) as is_work
    from outbox where id > $3::uuid order by id limit ${pageSize}
  )`
const countWorkPage = `${workPage} select ${lastPage}, (select count(*) from page where is_work)::int as count`
const deleteWorkPage = `${workPage}, gone as (
    delete from outbox where id = any(array(select id from page where is_work)) returning 1
  )
  select ${lastPage}, (select count(*) from gone)::int as count`

export async function countWork(db: Queries, restored: Restored, prefixes: readonly string[]): Promise<object[]> {
  const count = await walkWork(db, countWorkPage, restored, prefixes)
  return count > 0 ? [{ count }] : []
}

/** Deletes the work, each page in a transaction of its own. @returns how much there was */
export function deleteWork(db: Queries, restored: Restored, prefixes: readonly string[]): Promise<number> {
  return walkWork(db, deleteWorkPage, restored, prefixes)
}

/** The outbox holds the messages of a week: one statement would end at its time limit. */
function walkWork(db: Queries, text: string, { sent_until }: Restored, prefixes: readonly string[]): Promise<number> {
  return sumOfPages('00000000-0000-0000-0000-000000000000', (after) => db.runLong(text, [sent_until, prefixes, after]))
}

/** Runs a statement for each page, from the one after `first`. */
async function sumOfPages(
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
