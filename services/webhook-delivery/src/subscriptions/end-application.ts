import type { ApplicationChange } from '@notify/contracts'
import type { Context } from '../context.ts'
import { auditSubscription } from './audit-subscription.ts'
import { removeSubscription } from './remove-subscription.ts'
import { lockSubscriptionsOf } from './subscription-store.ts'

/** Ends the subscriptions of a deleted application. A repeated event finds none. */
export async function endApplication(context: Context, change: ApplicationChange): Promise<void> {
  if (change.status !== 'revoked') return
  const { tenant_id: tenantId, application_id: applicationId } = change
  const ended = await context.db.transaction(async (run) => {
    const rows = await lockSubscriptionsOf(run, { tenantId, applicationId })
    for (const row of rows) {
      const before = await removeSubscription(run, context, row, null)
      const entry = { request: null, service: 'webhook-delivery', tenantId } as const
      await auditSubscription(run, { ...entry, action: 'webhook_subscription.deleted', before, after: null })
    }
    return rows.length
  })
  if (ended === 0) return
  context.wakeOutbox()
  context.wakeRemoval()
}
