import type { Id } from '@notify/contracts'
import { nextUpdatedAt, type Run } from '@notify/database'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { build } from '../db/schema.ts'
import { auditDisabling } from './audit-subscription.ts'
import { publishSubscription } from './subscription-store.ts'

/** Stops or resumes the deliveries of an endpoint, whose failures are forgotten; those whose time came meanwhile are due at once. */
export async function setEndpointActive(run: Run, id: string, active: boolean): Promise<void> {
  const healthy = { failures: 0, struggling: false, failing_since: null, next_due_at: sql<Date>`now()` }
  await run(
    build
      .updateTable('endpoints')
      .set({ active, ...healthy })
      .where('id', '=', id),
  )
}

/** What it is disabled for. If the subscription has another address meanwhile, it stays active. */
type Cause =
  /** The encrypted address that answered. */
  | { reason: 'gone'; url: Buffer | null }
  /** How long the address has failed at least. */
  | { reason: 'failing'; forMs: number }

const stillHolds = (id: Id<'whsub'>, cause: Cause) =>
  cause.reason === 'gone'
    ? sql<boolean>`url = coalesce(${cause.url}::bytea, url)`
    : sql<boolean>`exists (select from endpoints e
        where e.id = ${id} and e.failing_since <= now() - ${cause.forMs} * interval '1 millisecond')`

/** Disables a subscription whose receiver answered 410 or failed for too long; published and recorded once. */
export async function disableSubscription(context: Context, id: Id<'whsub'>, cause: Cause): Promise<void> {
  const { db, log, metrics, wakeOutbox } = context
  const { reason } = cause
  const disabled = await db.transaction(async (run) => {
    // A change of the address holds this lock; the next statement sees it.
    await run(build.selectFrom('subscriptions').select('id').where('id', '=', id).forUpdate())
    const [row] = await run(
      build
        .updateTable('subscriptions')
        .set(({ eb }) => ({
          ...{ status: 'disabled', disabled_reason: reason, revision: eb('revision', '+', 1) },
          updated_at: sql<Date>`${sql.raw(nextUpdatedAt())}`,
        }))
        .where('id', '=', id)
        .where('status', '=', 'active')
        .where(stillHolds(id, cause))
        .returningAll(),
    )
    if (!row) return false
    await run(build.updateTable('endpoints').set({ active: false }).where('id', '=', id))
    await publishSubscription(run, row, null)
    await auditDisabling(run, row)
    return true
  })
  if (!disabled) return
  wakeOutbox()
  metrics.disabled(reason)
  log.warn({ subscription_id: id, reason }, 'webhook subscription disabled')
}
