import type { Database } from '@notify/database'
import type { Tables } from '../db/schema.ts'

const batch = 1000

/** Deletes finished deliveries whose time is over, with their attempts. @returns whether more are left */
export async function deleteOldDeliveries(db: Database<Tables>, keptMs: number): Promise<boolean> {
  const old = `select id from deliveries where finished_at < now() - $1 * interval '1 millisecond' limit ${batch}`
  return (await deletePage(db, old, [keptMs])) === batch
}

/** Deletes what subscriptions left that are deleted themselves. @returns whether more is left */
export async function deleteOrphans(db: Database<Tables>): Promise<boolean> {
  const [gone] = await db.run<{ id: string }>(
    'select id from endpoints where deleted_at is not null order by id limit 1',
  )
  if (!gone) return false
  const page = `select id from deliveries where subscription_id = $1 limit ${batch}`
  if ((await deletePage(db, page, [gone.id])) < batch) await db.run('delete from endpoints where id = $1', [gone.id])
  return true
}

async function deletePage(db: Database<Tables>, page: string, values: unknown[]): Promise<number> {
  const deleted = await db.runLong(
    `with page as (${page}), gone as (delete from attempts using page where delivery_id = page.id)
     delete from deliveries using page where deliveries.id = page.id returning 1`,
    values,
  )
  return deleted.length
}
