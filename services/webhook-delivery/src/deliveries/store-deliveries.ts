import type { Context } from '../context.ts'
import { leaseMs } from '../endpoints/leases.ts'
import type { Desk } from '../endpoints/start-endpoints.ts'
import { deliveryLeaseMs } from './delivery-lease.ts'
import { insertOffered, type StoreDeliveries } from './insert-deliveries.ts'

export function createDeliveryStore({ config, db }: Pick<Context, 'config' | 'db'>, desk: Desk): StoreDeliveries {
  const leases = { deliveryMs: deliveryLeaseMs(config), endpointMs: leaseMs }
  return async (deliveries) => {
    if (deliveries.length === 0) return new Set()
    const offer = desk.offer(deliveries)
    try {
      const rows = await insertOffered(db.run, offer.deliveries, leases)
      offer.accept(rows)
      return new Set(rows.flatMap(({ id }) => id ?? []))
    } catch (error) {
      // Whether it was stored is unknown: what was opened is due again when its lease ends.
      offer.accept([])
      throw error
    }
  }
}
