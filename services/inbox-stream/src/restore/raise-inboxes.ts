import { column, defineStatement, type Queries, type Restored } from '@notify/database'
import { isBehind, position, raiseInboxStart } from './restored-inboxes.ts'

const batch = 5000

/** Locks the inboxes in the order of their keys, as writers do. */
const raise = defineStatement({
  name: 'raise-inboxes',
  isPrepared: false,
  text: `
    with page as (
      select key from inboxes where key > $3 order by key limit ${batch} for update
    ), raised as (
      update inboxes b set last_seq = ${position}, pruned_seq = ${position}
      from page where b.key = page.key and ${isBehind} returning b.key
    )
    select max(key) as last, (select count(*)::int from raised) as count from page`,
  columns: { last: column.text().nullable(), count: column.integer() },
})

/**
 * Lets every inbox go on after a sequence that the lost database never issued, and declares what lies before it deleted. So a
 * Last-Event-ID of the lost database is not taken for one of the events that follow.
 * @returns how many were raised
 */
export async function raiseInboxes(db: Queries, restored: Restored): Promise<number> {
  await raiseInboxStart(db, restored)
  let total = 0
  let after: string | null = ''
  while (after !== null) {
    const values = [restored.sent_until, restored.tenant, after]
    const rows: { last: string | null; count: number }[] = await db.runLong(raise, values)
    total += rows[0]!.count
    after = rows[0]!.last
  }
  return total
}
