import type { deleteWebhookSubscription as contract } from '@notify/contracts'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { deleteOwnProvider } from '../providers/provider-store.ts'
import { tellOwnProvider } from '../providers/tell-own-provider.ts'
import { auditSubscription } from './audit-subscription.ts'
import { describeSubscription } from './describe-subscription.ts'
import { actorOf, requireSubscription } from './scope.ts'
import { tellSubscription } from './subscription-store.ts'

/** Ends a subscription at once; its deliveries are removed in the background. */
export const deleteSubscription: Handler<Context, typeof contract> = async (context, request) => {
  const { params, principal } = request
  await context.db.transaction(async (run) => {
    const row = await requireSubscription(run, principal, params.subscription_id)
    await run('delete from subscriptions where id = $1', [row.id])
    await run('delete from replays where subscription_id = $1', [row.id])
    const provider = await deleteOwnProvider(run, row.provider_id)
    if (provider) {
      const { id: subscription_id, provider_id: id, tenant_id, application_id } = row
      const own = { ...provider, id, tenant_id, application_id, subscription_id }
      await tellOwnProvider(run, context.secrets.keyRing, own, 'deleted')
    }
    await run('update endpoints set active = false, deleted_at = now() where id = $1', [row.id])
    await tellSubscription(run, { ...row, revision: row.revision + 1, status: 'deleted' }, actorOf(principal))
    const before = describeSubscription(context.secrets.keyRing, row)
    await auditSubscription(run, { request, action: 'webhook_subscription.deleted', before, after: null })
  })
  context.wakeOutbox()
  return undefined
}
