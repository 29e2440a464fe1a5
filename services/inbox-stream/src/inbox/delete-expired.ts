import type { Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'
import { deleteExpiredEvents } from './delete-expired-events.ts'
import { deleteExpiredItems, retentionBatch } from './delete-expired-items.ts'

/** Deletes notifications and events older than the retention. @returns whether more are left */
export async function deleteExpired(db: Queries, retentionMs: number): Promise<boolean> {
  const seconds = retentionMs / 1000
  const items = await db.transaction((run) => deleteExpiredItems(run, seconds))
  const events = await db.transaction((run) => deleteExpiredEvents(run, seconds))
  const before = sql<Date>`now() - make_interval(secs => ${seconds})`
  await db.run(build.deleteFrom('waiting_items').where('arrived_at', '<', before))
  return items === retentionBatch || events === retentionBatch
}
