import { column, defineStatements, deletionInOrder, type Queries } from '@notify/database'
import { sql } from 'kysely'
import { build } from '../db/schema.ts'

const batch = 1000

const which = {
  // Several may have finished at the time at which a batch ended, so the next one includes that time. What is locked is being replayed.
  old: `finished_at >= $1 and finished_at < now() - $2 * interval '1 millisecond' order by finished_at
          limit ${batch} for update skip locked`,
  waiting: `id = any(array(
        select mine.id from endpoints e cross join lateral (
          select id from deliveries where endpoint_id = e.id and next_attempt_at < now() - $1 * interval '1 millisecond'
          order by next_attempt_at limit ${batch} for update skip locked) as mine
        where not e.active and e.deleted_at is null limit ${batch}))`,
  // Locked: another process may be deleting the first ones at the same time.
  orphaned: `subscription_id = $1 limit ${batch} for update skip locked`,
}

const deletePage = defineStatements(
  (kind: keyof typeof which) => ({
    name: `delete-${kind}-deliveries`,
    isPrepared: false,
    text: `
      with page as (
        select id, endpoint_id, subscription_id, finished_at from deliveries where ${which[kind]}
      ), their_attempts as (delete from attempts using page where delivery_id = page.id),
      idle_origins as (
        delete from endpoints where id = any(array(select endpoint_id from page where subscription_id is null))
          and next_due_at is null and (leased_until is null or leased_until <= now())
      ), gone as (delete from deliveries using page where deliveries.id = page.id returning 1)
      select count(*)::int as deleted, (select max(finished_at) from page) as last from gone`,
    columns: { deleted: column.integer(), last: column.timestamp().nullable() },
  }),
  'old',
  'waiting',
  'orphaned',
)

/**
 * Deletes deliveries that finished before the retention, or have been due at a disabled subscription for as long, with their
 * attempts. An origin of the channel `webhook` that nothing waits for goes with them; the next send to it recreates it.
 * @returns a function that deletes one batch and resolves to true when there may be more
 */
export function createDeliveryDeletion({ runLong }: Queries): (keptMs: number) => Promise<boolean> {
  const deleteSome = deletionInOrder(batch, async (after: Date | null, keptMs: number) => {
    const [row] = await runLong(deletePage('old'), [after ?? new Date(0), keptMs])
    return row!
  })
  return async (keptMs) => {
    const [waiting] = await runLong(deletePage('waiting'), [keptMs])
    const { more } = await deleteSome(keptMs)
    return more || waiting!.deleted === batch
  }
}

/** Facts whose subscribers were read before the deletion are stored by then. */
const isSettled = sql<boolean>`deleted_at <= now() - interval '1 minute'`

/**
 * Deletes the deliveries of deleted subscriptions, and a while later the endpoints, by which they are found.
 * @returns whether more are left
 */
export async function deleteOrphans({ run, runLong }: Queries): Promise<boolean> {
  const hasDeliveries = sql<boolean>`exists (select from deliveries where subscription_id = endpoints.id)`
  const deleted = build.selectFrom('endpoints').select('id').where('deleted_at', 'is not', null)
  const [gone] = await run(
    deleted
      .where(({ or }) => or([isSettled, hasDeliveries]))
      .orderBy('id')
      .limit(1),
  )
  if (!gone) return false
  const [page] = await runLong(deletePage('orphaned'), [gone.id])
  if (page!.deleted < batch) {
    const settled = build.deleteFrom('endpoints').where('id', '=', gone.id).where(isSettled)
    await run(settled.where(({ not }) => not(hasDeliveries)))
  }
  return true
}
