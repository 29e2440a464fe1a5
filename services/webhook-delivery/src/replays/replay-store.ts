import { earliestId } from '@notify/contracts'
import { claimDueSql, type Queries, type Run } from '@notify/database'

interface Range {
  subscriptionId: string
  since: string
}

/** Ids are made by the clocks of processes, `created_at` by that of Postgres. */
const clockSkewMs = 600_000

/** An id before those of all deliveries created since then: older ones are not read. */
const idBefore = (since: string) => earliestId('whdel', Math.max(0, Date.parse(since) - clockSkewMs))

/** Counts the exhausted deliveries of a subscription that were created since a moment. */
export async function countExhausted(run: Run, { subscriptionId, since }: Range): Promise<number> {
  const [row] = await run<{ count: number }>(
    `select count(*)::int as count from deliveries
     where subscription_id = $1 and status = 'exhausted' and id > $2 and created_at >= $3::timestamptz`,
    [subscriptionId, idBefore(since), since],
  )
  return row?.count ?? 0
}

export interface ReplayRow {
  subscription_id: string
  since: Date
  count: number
  replayed: number
  requested_at: Date
  finished_at: Date | null
}

/** Starts a replay. A running one is extended by the new range. */
export async function insertReplay(run: Run, { subscriptionId, since }: Range, count: number): Promise<ReplayRow> {
  const [row] = await run<ReplayRow>(
    `insert into replays as known (subscription_id, since, count, reached, next_at) values ($1, $2, $3, $4, now())
     on conflict (subscription_id) do update set
       since = case when known.finished_at is null then least(known.since, excluded.since) else excluded.since end,
       reached = case when known.finished_at is null then least(known.reached, excluded.reached) else excluded.reached end,
       count = excluded.count, replayed = 0, next_at = now(), requested_at = now(), finished_at = null
     returning *`,
    [subscriptionId, since, count, idBefore(since)],
  )
  return row!
}

/** Requeues exhausted deliveries with a whole schedule; the numbers of their attempts continue. */
const again = `status = 'pending', charged = 0, held = 0, next_attempt_at = now(), finished_at = null`

const claimReplays = claimDueSql(
  { table: 'replays', key: ['subscription_id'], due: 'next_at' },
  { limit: 8, leaseMs: 30_000 },
)

/**
 * Replays one page of each job that is due. A page commits together with the position it reached, so an interrupted job
 * continues where it stopped. @returns how many deliveries are due now
 */
export async function replayPages(db: Queries, perSecond: number): Promise<number> {
  const due = await db.run<{ subscription_id: string }>(`${claimReplays} select subscription_id from claimed`)
  let replayed = 0
  for (const { subscription_id } of due) replayed += await replayPage(db, subscription_id, perSecond)
  return replayed
}

async function replayPage(db: Queries, id: string, most: number): Promise<number> {
  return db.transaction(async (run) => {
    const [job] = await run<{ reached: string; since: Date; requested_at: Date }>(
      `select reached, since, requested_at from replays where subscription_id = $1 and finished_at is null for update`,
      [id],
    )
    if (!job) return 0
    const moved = await run<{ id: string }>(
      `with page as (
         select id from deliveries
         where subscription_id = $1 and status = 'exhausted' and id > $2 and created_at between $3 and $4
         order by id limit $5 for update
       )
       update deliveries set ${again} where id = any(array(select id from page)) returning id`,
      [id, job.reached, job.since, job.requested_at, most],
    )
    const reached =
      moved
        .map((one) => one.id)
        .toSorted()
        .at(-1) ?? job.reached
    const isOver = moved.length < most
    await run(
      `update replays set replayed = replayed + $2, reached = $3,
         next_at = case when not $4 then now() + interval '1 second' end, finished_at = case when $4 then now() end
       where subscription_id = $1`,
      [id, moved.length, reached, isOver],
    )
    if (moved.length > 0) await run('update endpoints set next_due_at = now() where id = $1', [id])
    return moved.length
  })
}

/** Requeues one exhausted delivery. @returns whether it was exhausted */
export async function replayOne(run: Run, id: string): Promise<boolean> {
  const [row] = await run<{ endpoint_id: string; tenant_id: string }>(
    `update deliveries set ${again} where id = $1 and status = 'exhausted' returning endpoint_id, tenant_id`,
    [id],
  )
  if (!row) return false
  // The retention may have removed the endpoint of an origin.
  await run(
    `insert into endpoints (id, tenant_id, next_due_at) values ($1, $2, now())
     on conflict (id) do update set next_due_at = now()`,
    [row.endpoint_id, row.tenant_id],
  )
  return true
}
