import type { Database } from '@notify/database'
import type { Tables } from '../db/schema.ts'

const batch = 1000

/**
 * Deletes finished deliveries that are older than the retention, with their attempts. An origin of the channel `webhook` that
 * nothing waits for goes with them; the next send to it makes it anew. @returns whether more are left
 */
export async function deleteOldDeliveries(db: Database<Tables>, keptMs: number): Promise<boolean> {
  const old = `finished_at < now() - $1 * interval '1 millisecond'`
  return (await deletePage(db, old, [keptMs])) === batch
}

/** Deletes the deliveries of deleted subscriptions. @returns whether more are left */
export async function deleteOrphans(db: Database<Tables>): Promise<boolean> {
  const [gone] = await db.run<{ id: string }>(
    'select id from endpoints where deleted_at is not null order by id limit 1',
  )
  if (!gone) return false
  const deleted = await deletePage(db, 'subscription_id = $1', [gone.id])
  if (deleted < batch) await db.run('delete from endpoints where id = $1', [gone.id])
  return true
}

async function deletePage(db: Database<Tables>, which: string, values: unknown[]): Promise<number> {
  const deleted = await db.runLong(
    `with page as (select id, endpoint_id, subscription_id from deliveries where ${which} limit ${batch}),
     their_attempts as (delete from attempts using page where delivery_id = page.id),
     idle_origins as (
       delete from endpoints where id = any(array(select endpoint_id from page where subscription_id is null))
         and next_due_at is null and (leased_until is null or leased_until <= now())
     )
     delete from deliveries using page where deliveries.id = page.id returning 1`,
    values,
  )
  return deleted.length
}
