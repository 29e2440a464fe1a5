import { column, defineStatements, type Queries, type Restored } from '@notify/database'
import { lastPage, sumOfPages } from './settle-restored.ts'

/** Rows read by one statement. */
const pageSize = 5000

/** Work of the outbox was perhaps published after the backup. What is still queued is published again from its notification. */
const workPage = defineStatements(
  (deletes: boolean) => ({
    name: deletes ? 'delete-restored-work' : 'count-restored-work',
    isPrepared: false,
    text: `
    with page as (
      select id, created_at <= $1::timestamptz and exists (select from unnest($2::text[]) prefix where starts_with(subject, prefix)) as is_work
      from outbox where id > $3::uuid order by id limit ${pageSize}
    ), work as (${deletes ? 'delete from outbox where id = any(array(select id from page where is_work)) returning 1' : 'select from page where is_work'})
    select ${lastPage}, (select count(*)::int from work) as count`,
    columns: { last: column.uuid().nullable(), count: column.integer() },
  }),
  true,
  false,
)

export async function countWork(db: Queries, restored: Restored, prefixes: readonly string[]): Promise<object[]> {
  const count = await walkWork(db, false, restored, prefixes)
  return count > 0 ? [{ count }] : []
}

/** Deletes the work, each page in a transaction of its own. @returns how much there was */
export function deleteWork(db: Queries, restored: Restored, prefixes: readonly string[]): Promise<number> {
  return walkWork(db, true, restored, prefixes)
}

/** The outbox holds the messages of a week: one statement would end at its time limit. */
function walkWork(
  db: Queries,
  deletes: boolean,
  { sent_until }: Restored,
  prefixes: readonly string[],
): Promise<number> {
  const earliest = '00000000-0000-0000-0000-000000000000'
  return sumOfPages(earliest, (after) => db.runLong(workPage(deletes), [sent_until, prefixes, after]))
}
