import { type Database, deletionInOrder } from '@notify/database'
import type { Tables } from '../db/schema.ts'

const batch = 1000

/**
 * Deletes finished deliveries that are older than the retention, with their attempts. An origin of the channel `webhook` that
 * nothing waits for goes with them; the next send to it recreates it.
 * @returns a function that deletes one batch and resolves to true when there may be more
 */
export function createDeliveryDeletion(db: Database<Tables>): (keptMs: number) => Promise<boolean> {
  // Several may have finished at the time at which a batch ended, so the next one includes that time.
  const old = `finished_at >= $1 and finished_at < now() - $2 * interval '1 millisecond' order by finished_at`
  const deleteSome = deletionInOrder(batch, (after: Date | null, keptMs: number) =>
    deletePage(db, old, [after ?? new Date(0), keptMs]),
  )
  return async (keptMs) => (await deleteSome(keptMs)).more
}

/** Deletes the deliveries of deleted subscriptions. @returns whether more are left */
export async function deleteOrphans(db: Database<Tables>): Promise<boolean> {
  const [gone] = await db.run<{ id: string }>(
    'select id from endpoints where deleted_at is not null order by id limit 1',
  )
  if (!gone) return false
  const { deleted } = await deletePage(db, 'subscription_id = $1', [gone.id])
  if (deleted < batch) await db.run('delete from endpoints where id = $1', [gone.id])
  return true
}

interface Deleted {
  deleted: number
  /** When the last of them had finished. */
  last: Date | null
}

async function deletePage(db: Database<Tables>, which: string, values: unknown[]): Promise<Deleted> {
  const [row] = await db.runLong<Deleted>(
    `with page as (
       select id, endpoint_id, subscription_id, finished_at from deliveries where ${which} limit ${batch}
     ), their_attempts as (delete from attempts using page where delivery_id = page.id),
     idle_origins as (
       delete from endpoints where id = any(array(select endpoint_id from page where subscription_id is null))
         and next_due_at is null and (leased_until is null or leased_until <= now())
     ), gone as (delete from deliveries using page where deliveries.id = page.id returning 1)
     select count(*)::int as deleted, (select max(finished_at) from page) as last from gone`,
    values,
  )
  return row!
}
