import type { Id, WebhookDeliveryStatus } from '@notify/contracts'
import type { Run } from '@notify/database'
import type { Selectable } from 'kysely'
import { build, type Tables } from '../db/schema.ts'

export type DeliveryRow = Selectable<Tables['deliveries']>

export async function findDelivery(run: Run, tenantId: Id<'ten'>, id: Id<'whdel'>): Promise<DeliveryRow | undefined> {
  const [row] = await run(
    build.selectFrom('deliveries').selectAll().where('id', '=', id).where('tenant_id', '=', tenantId),
  )
  return row
}

const states: readonly WebhookDeliveryStatus[] = ['pending', 'succeeded', 'exhausted']

/** The deliveries of a subscription in one state or in any, newest first. */
export async function listDeliveryRows(
  run: Run,
  { id, status }: { id: Id<'whsub'>; status: WebhookDeliveryStatus | undefined },
  { after, limit }: { after: Id<'whdel'> | undefined; limit: number },
): Promise<DeliveryRow[]> {
  // The index has a range for each state: the newest of every range are read and merged.
  const inState = (state: WebhookDeliveryStatus) => {
    const all = build.selectFrom('deliveries').selectAll().where('subscription_id', '=', id).where('status', '=', state)
    const later = after === undefined ? all : all.where('id', '<', after)
    return build.selectFrom(later.orderBy('id', 'desc').limit(limit).as('in_state')).selectAll()
  }
  const [first, ...others] = (status ? [status] : states).map(inState)
  const anyState = others.reduce((union, one) => union.unionAll(one), first!)
  return run(build.selectFrom(anyState.as('any_state')).selectAll().orderBy('id', 'desc').limit(limit))
}

export type AttemptRow = Selectable<Tables['attempts']>

/** Attempts that are shown: a delivery has further ones with each replay, and each holds an answer. */
const mostAttempts = 100

/** The newest attempts of a delivery, in their order. */
export async function listAttemptRows(run: Run, deliveryId: Id<'whdel'>): Promise<AttemptRow[]> {
  const all = build.selectFrom('attempts').selectAll().where('delivery_id', '=', deliveryId)
  return (await run(all.orderBy('number', 'desc').limit(mostAttempts))).toReversed()
}

/** The newest attempts to deliver a notification of the channel `webhook`, in their order, without what was answered. */
export async function listSendAttemptRows(run: Run, tenantId: Id<'ten'>, notificationId: Id<'notif'>) {
  const all = build
    .selectFrom('deliveries as d')
    .innerJoin('attempts as a', 'a.delivery_id', 'd.id')
    .select(['a.delivery_id', 'a.number', 'd.provider_id', 'a.started_at', 'a.finished_at', 'a.status', 'a.error'])
    .where('d.notification_id', '=', notificationId)
    .where('d.subscription_id', 'is', null)
    .where('d.tenant_id', '=', tenantId)
  const newest = await run(all.orderBy('a.started_at', 'desc').orderBy('a.number', 'desc').limit(mostAttempts))
  return newest.toReversed()
}
