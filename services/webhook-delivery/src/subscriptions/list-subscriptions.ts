import type { listWebhookSubscriptions as contract, Id } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { describeSubscription } from './describe-subscription.ts'
import { scopeOf } from './scope.ts'
import { listSubscriptionRows, type SubscriptionRow } from './subscription-store.ts'

/** The subscriptions of the caller's application, or of an operator's tenant. */
export const listSubscriptions: Handler<Context, typeof contract> = async ({ db, secrets }, request) => {
  const scope = scopeOf(request.principal)
  const { application_id: wanted } = request.query
  const own = scope.applicationId
  const isForeign = own !== undefined && wanted !== undefined && own !== wanted
  const { items, next_cursor } = await page<SubscriptionRow, Id<'whsub'>>(
    request,
    orderById('whsub'),
    async (after, limit) =>
      isForeign ? [] : listSubscriptionRows(db.run, { ...scope, applicationId: wanted ?? own }, { after, limit }),
  )
  return { items: items.map((row) => describeSubscription(secrets.keyRing, row)), next_cursor }
}
