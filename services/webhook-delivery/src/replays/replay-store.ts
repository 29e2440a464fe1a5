import { earliestId, type Id, optedOutReason } from '@notify/contracts'
import { cast, column, defineStatement, type RowOf, type Run } from '@notify/database'
import { sql } from 'kysely'
import { build, tables } from '../db/schema.ts'
import { erasedReason } from '../erasure/store-erased.ts'

interface Range {
  subscriptionId: Id<'whsub'>
  since: string
}

interface NewReplay extends Range {
  tenantId: Id<'ten'>
}

/** Ids are made by the clocks of processes, `created_at` by that of Postgres: a replay begins before those of its time. */
const clockSkewMs = 600_000

/** The first id of a moment. */
const idAt = (ms: number) => earliestId('whdel', Math.max(0, ms))

/** An id behind those of all deliveries that were created until a moment. */
export const idBehind = (moment: Date) => idAt(moment.getTime() + clockSkewMs)

/**
 * Counts the exhausted deliveries of a subscription that were created since a moment, by their ids: the index has them, and to
 * read `created_at` of millions would take longer than a statement may.
 */
export async function countExhausted(run: Run, { subscriptionId, since }: Range): Promise<number> {
  const [row] = await run(
    build
      .selectFrom('deliveries')
      .select(cast(column.integer(), sql`count(*)`).as('count'))
      .where('subscription_id', '=', subscriptionId)
      .where('status', '=', 'exhausted')
      .where('id', '>', idAt(Date.parse(since))),
  )
  return row?.count ?? 0
}

export type ReplayRow = RowOf<typeof tables.replays>

const start = defineStatement({
  name: 'start-replay',
  isPrepared: false,
  text: `
    insert into replays as known (subscription_id, tenant_id, since, count, reached, next_at)
    values ($1, $2, $3, $4, $5, now())
    on conflict (subscription_id) do update set
      since = case when known.finished_at is null then least(known.since, excluded.since) else excluded.since end,
      reached = case when known.finished_at is null then least(known.reached, excluded.reached) else excluded.reached end,
      count = excluded.count, replayed = 0, next_at = now(), requested_at = now(), finished_at = null
    returning *`,
  columns: tables.replays,
})

/** Starts a replay. A running one is extended by the new range. */
export async function insertReplay(
  run: Run,
  { subscriptionId, tenantId, since }: NewReplay,
  count: number,
): Promise<ReplayRow> {
  const [row] = await run(start, [subscriptionId, tenantId, since, count, idAt(Date.parse(since) - clockSkewMs)])
  return row!
}

const now = sql<Date>`now()`
/** Due at once; an endpoint that waits already keeps its place. */
export const dueNow = sql<Date>`least(endpoints.next_due_at, now())`

/** Requeues deliveries with a whole schedule; the numbers of their attempts continue. */
export const again = { status: 'pending', charged: 0, held: 0, next_attempt_at: now, finished_at: null } as const

/** Why nothing is sent again. */
const recipientGone = [erasedReason, optedOutReason]

/** Requeues one delivery that has finished. @returns whether it had, and still has a recipient */
export async function replayOne(run: Run, id: Id<'whdel'>): Promise<boolean> {
  const [row] = await run(
    build
      .updateTable('deliveries')
      .set({ ...again, arrived: sql<boolean>`arrived or status = 'succeeded'` })
      .where('id', '=', id)
      .where('status', '<>', 'pending')
      .where((where) =>
        where.or([where('url', 'is', null), sql<boolean>`(last_error = any(${recipientGone})) is not true`]),
      )
      .returning(['endpoint_id', 'tenant_id']),
  )
  if (!row) return false
  // The retention may have removed the endpoint of an origin.
  await run(
    build
      .insertInto('endpoints')
      .values({ id: row.endpoint_id, tenant_id: row.tenant_id, next_due_at: now })
      .onConflict((known) => known.column('id').doUpdateSet({ next_due_at: dueNow })),
  )
  return true
}
