import type { deleteWebhookSubscription as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { auditSubscription } from './audit-subscription.ts'
import { removeSubscription } from './remove-subscription.ts'
import { actorOf, requireLocked } from './scope.ts'

/** Ends a subscription at once. Its waiting deliveries are not attempted; they are removed in the background. */
export const deleteSubscription: Handler<Context, typeof contract> = async (context, request) => {
  const { params, principal } = request
  await context.db.transaction(async (run) => {
    const row = await requireLocked(run, principal, params.subscription_id)
    const before = await removeSubscription(run, context, row, actorOf(principal))
    await auditSubscription(run, { request, action: 'webhook_subscription.deleted', before, after: null })
  })
  context.wakeOutbox()
  context.wakeRemoval()
  return undefined
}
