import type { listWebhookDeliveries as contract } from '@notify/contracts'
import { orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { requireSubscription } from '../subscriptions/scope.ts'
import { listDeliveryRows } from './delivery-store.ts'
import { summaryOf } from './describe-delivery.ts'

/** The deliveries of a subscription, newest first. */
export const listDeliveries: Handler<Context, typeof contract> = async ({ db }, request) => {
  const { id } = await requireSubscription(db.run, request.principal, request.params.subscription_id)
  const { status } = request.query
  const { items, next_cursor } = await page(request, orderById('whdel'), (after, limit) =>
    listDeliveryRows(db.run, { id, status }, { after, limit }),
  )
  return { items: items.map(summaryOf), next_cursor }
}
