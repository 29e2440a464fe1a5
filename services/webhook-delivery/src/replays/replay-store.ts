import { claimDueSql, type Queries, type Run } from '@notify/database'

interface Range {
  subscriptionId: string
  since: string
}

const inRange = `subscription_id = $1 and status = 'exhausted' and created_at >= $2::timestamptz`

export async function countExhausted(run: Run, { subscriptionId, since }: Range): Promise<number> {
  const [row] = await run<{ count: number }>(`select count(*)::int as count from deliveries where ${inRange}`, [
    subscriptionId,
    since,
  ])
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

/** Begins a replay; one that is under way begins anew with the range of both. */
export async function insertReplay(run: Run, { subscriptionId, since }: Range, count: number): Promise<ReplayRow> {
  const [row] = await run<ReplayRow>(
    `insert into replays as known (subscription_id, since, count, next_at) values ($1, $2, $3, now())
     on conflict (subscription_id) do update set
       since = case when known.finished_at is null then least(known.since, excluded.since) else excluded.since end,
       count = excluded.count, replayed = 0, reached = '', next_at = now(), requested_at = now(), finished_at = null
     returning *`,
    [subscriptionId, since, count],
  )
  return row!
}

/** Puts exhausted deliveries back to work with a whole schedule; the numbers of their attempts go on. */
const again = `status = 'pending', charged = 0, held = 0, next_attempt_at = now(), finished_at = null`

const claimReplays = claimDueSql(
  { table: 'replays', key: ['subscription_id'], due: 'next_at' },
  { limit: 8, leaseMs: 30_000 },
)

/**
 * Does a second's worth of each replay that is due. A page and how far it reached commit together, so that a worker that dies
 * repeats nothing and forgets nothing. @returns how many deliveries are due now
 */
export async function replayPages(db: Queries, perSecond: number): Promise<number> {
  const due = await db.run<{ subscription_id: string }>(`${claimReplays} select subscription_id from claimed`)
  let replayed = 0
  for (const { subscription_id } of due) replayed += await replayPage(db, subscription_id, perSecond)
  return replayed
}

async function replayPage(db: Queries, id: string, perSecond: number): Promise<number> {
  return db.transaction(async (run) => {
    const [row] = await run<{ count: number }>(
      `with job as (select * from replays where subscription_id = $1 and finished_at is null for update),
       page as (
         select d.id from deliveries d, job
         where d.subscription_id = $1 and d.status = 'exhausted' and d.id > job.reached
           and d.created_at >= job.since and d.created_at <= job.requested_at
         order by d.id limit $2 for update of d
       ), moved as (update deliveries d set ${again} from page where d.id = page.id returning d.id),
       noted as (
         update replays r set replayed = r.replayed + (select count(*) from moved),
           reached = coalesce((select max(id) from moved), r.reached),
           next_at = case when (select count(*) from moved) = $2 then now() + interval '1 second' end,
           finished_at = case when (select count(*) from moved) < $2 then now() end
         from job where r.subscription_id = job.subscription_id
       )
       select count(*)::int as count from moved`,
      [id, perSecond],
    )
    const count = row?.count ?? 0
    if (count > 0) await run('update endpoints set next_due_at = now() where id = $1', [id])
    return count
  })
}

/** Puts one exhausted delivery back to work. @returns whether it was exhausted */
export async function replayOne(run: Run, id: string): Promise<boolean> {
  const [row] = await run<{ endpoint_id: string }>(
    `update deliveries set ${again} where id = $1 and status = 'exhausted' returning endpoint_id`,
    [id],
  )
  if (row) await run('update endpoints set next_due_at = now() where id = $1', [row.endpoint_id])
  return row !== undefined
}
