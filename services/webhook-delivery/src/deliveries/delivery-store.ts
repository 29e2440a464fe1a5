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

export function listAttemptRows(run: Run, deliveryId: Id<'whdel'>): Promise<AttemptRow[]> {
  return run(build.selectFrom('attempts').selectAll().where('delivery_id', '=', deliveryId).orderBy('number'))
}
