import type { Queries, Restored } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const isUnfinished = ({ sent_until, created_before, tenant }: Restored) =>
  sql<boolean>`finished_at is null and next_at is not null and requested_at <= ${sent_until}::timestamptz
    and (${created_before}::timestamptz is null or requested_at < ${created_before}::timestamptz)
    and (${tenant}::text is null or tenant_id = ${tenant})`

export async function countReplays(db: Queries, restored: Restored): Promise<object[]> {
  const columns = ['tenant_id', 'subscription_id', 'requested_at'] as const
  return db.run(build.selectFrom('replays').select(columns).where(isUnfinished(restored)).orderBy('subscription_id'))
}

/** Ends replays: those of the backup may have finished since. @returns how many there were */
export async function endReplays(db: Queries, restored: Restored): Promise<number> {
  const ended = { finished_at: sql<Date>`now()`, next_at: null }
  const replays = build.updateTable('replays').set(ended).where(isUnfinished(restored)).returning('subscription_id')
  return (await db.run(replays)).length
}
