import { nextUpdatedAt, type Run } from '@notify/database'
import type { Selectable } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../db/schema.ts'
import { auditDisabling } from './audit-subscription.ts'
import { publishSubscription } from './subscription-store.ts'

/** Stops or resumes the deliveries of an endpoint; those whose time came meanwhile are due at once. */
export async function setEndpointActive(run: Run, id: string, active: boolean): Promise<void> {
  await run(
    `update endpoints set active = $2, next_due_at = now(), failures = 0, struggling = false, failing_since = null where id = $1`,
    [id, active],
  )
}

/** Disables a subscription whose receiver answered 410 or failed for too long; published and recorded once. */
export async function disableSubscription(context: Context, id: string, reason: 'gone' | 'failing'): Promise<void> {
  const { db, log, metrics, wakeOutbox } = context
  const disabled = await db.transaction(async (run) => {
    const [row] = await run<Selectable<Tables['subscriptions']>>(
      `update subscriptions set status = 'disabled', disabled_reason = $2, revision = revision + 1,
         updated_at = ${nextUpdatedAt()} where id = $1 and status = 'active' returning *`,
      [id, reason],
    )
    if (!row) return false
    await run(`update endpoints set active = false where id = $1`, [id])
    await publishSubscription(run, row, null)
    await auditDisabling(run, row)
    return true
  })
  if (!disabled) return
  wakeOutbox()
  metrics.disabled(reason)
  log.warn({ subscription_id: id, reason }, 'webhook subscription disabled')
}
