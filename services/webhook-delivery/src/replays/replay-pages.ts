import type { Id } from '@notify/contracts'
import { claimDueSql, defineStatement, dueInColumns, dueInSql, pick, type Queries } from '@notify/database'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { build, tables } from '../db/schema.ts'
import { again, dueNow, idBehind } from './replay-store.ts'

/** A tenant may replay a thousand subscriptions at once. */
const fair = { by: 'tenant_id', most: 4 }
const due = { table: 'replays', key: ['subscription_id'], due: 'next_at', fair }

const look = defineStatement({ name: 'look-due-replays', text: dueInSql(due), columns: dueInColumns })

/** Milliseconds until a page of a job is due. */
export async function replaysDueInMs({ run }: Queries): Promise<number> {
  const [row] = await run(look)
  return row!.due_in_ms
}

const claim = defineStatement({
  name: 'claim-replays',
  text: `${claimDueSql(due, { limit: 8, leaseMs: 30_000 })}
         select subscription_id, tenant_id from claimed`,
  columns: pick(tables.replays, 'subscription_id', 'tenant_id'),
})

/** Claims jobs that are due: tenants take turns. */
export const claimReplays = ({ run }: Queries) => run(claim)

/**
 * Replays one page of each job that is due. A page commits together with the position it reached, so an interrupted job
 * continues where it stopped. A page that fails is claimed again when its lease ends. @returns how many deliveries are due now
 */
export async function replayPages({ db, log }: Pick<Context, 'db' | 'log'>, perSecond: number): Promise<number> {
  let replayed = 0
  for (const job of await claimReplays(db)) {
    // One that fails must not keep those of other tenants from being replayed.
    replayed += await replayPage(db, job.subscription_id, perSecond).catch((err) => {
      log.error({ err, ...job }, 'a page of a replay failed; it is repeated')
      return 0
    })
  }
  return replayed
}

async function replayPage(db: Queries, id: Id<'whsub'>, most: number): Promise<number> {
  return db.transaction(async (run) => {
    const [job] = await run(
      build
        .selectFrom('replays')
        .select(['reached', 'since', 'requested_at', 'replayed'])
        .where('subscription_id', '=', id)
        .where('finished_at', 'is', null)
        .forUpdate(),
    )
    if (!job) return 0
    const page = build
      .selectFrom('deliveries')
      .select('id')
      .where('subscription_id', '=', id)
      .where('status', '=', 'exhausted')
      .where('id', '>', job.reached)
      // The index does not have their times: without this the page would read all that are newer.
      .where('id', '<', idBehind(job.requested_at))
      .where('created_at', '>=', job.since)
      .where('created_at', '<=', job.requested_at)
      .orderBy('id')
      .limit(most)
      .forUpdate()
    const moved = await run(
      build
        .with('page', () => page)
        .updateTable('deliveries')
        .set(again)
        .where('id', '=', sql<Id<'whdel'>>`any(array(select id from page))`)
        .returning('id'),
    )
    const reached =
      moved
        .map((one) => one.id)
        .toSorted()
        .at(-1) ?? job.reached
    const end =
      moved.length < most
        ? { next_at: null, finished_at: sql<Date>`now()` }
        : { next_at: sql<Date>`now() + interval '1 second'`, finished_at: null }
    const state = { ...end, reached, replayed: job.replayed + moved.length }
    await run(build.updateTable('replays').set(state).where('subscription_id', '=', id))
    if (moved.length > 0) {
      await run(build.updateTable('endpoints').set({ next_due_at: dueNow }).where('id', '=', id))
    }
    return moved.length
  })
}
