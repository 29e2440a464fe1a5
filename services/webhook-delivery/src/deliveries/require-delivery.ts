import type { Id } from '@notify/contracts'
import type { Run } from '@notify/database'
import { Problem } from '@notify/service-kit'
import { type DeliveryRow, findDelivery } from './delivery-store.ts'

/** A delivery of the tenant. @throws Problem `not_found` also for what belongs to others */
export async function requireDelivery(run: Run, tenantId: Id<'ten'>, id: Id<'whdel'>): Promise<DeliveryRow> {
  const row = await findDelivery(run, tenantId, id)
  if (!row) throw new Problem('not_found', 'No webhook delivery has this id')
  return row
}
