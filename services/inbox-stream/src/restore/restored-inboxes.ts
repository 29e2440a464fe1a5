import { column, defineStatement, type Queries, type Restored } from '@notify/database'

/** SQL: seconds from 2020 to a time. More than any inbox has events, and more after each restore or move. */
export const positionAt = (time: string) => `extract(epoch from ${time} - '2020-01-01T00:00:00Z'::timestamptz)::int`

/** That of `--sent-until`. */
export const position = positionAt('$1::timestamptz')

export const isBehind = `last_seq < ${position} and ($2::text is null or tenant_id = $2)`

const count = defineStatement({
  name: 'count-restored-inboxes',
  isPrepared: false,
  text: `select count(*)::int as count from inboxes where ${isBehind}`,
  columns: { count: column.integer() },
})

const raiseStart = defineStatement({
  name: 'raise-inbox-start',
  isPrepared: false,
  text: `insert into inbox_start (seq) values (${position})
         on conflict (one) do update set seq = greatest(inbox_start.seq, excluded.seq)`,
})

/** Counts the inboxes whose sequences have to be raised. */
export async function countRestoredInboxes(db: Queries, { sent_until, tenant }: Restored): Promise<object[]> {
  const found = await db.runLong(count, [sent_until, tenant])
  return found.filter((row) => row.count > 0)
}

/** Lets new inboxes begin after the position. */
export async function raiseInboxStart(db: Queries, { sent_until }: Restored): Promise<void> {
  await db.run(raiseStart, [sent_until])
}
