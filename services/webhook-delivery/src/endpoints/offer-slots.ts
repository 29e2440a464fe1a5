import type { NewDelivery, Offered, StoredRow } from '../deliveries/insert-deliveries.ts'
import type { TakenDelivery } from '../deliveries/take-deliveries.ts'
import type { Endpoint } from './claim-endpoints.ts'
import type { Beginning, Session } from './run-session.ts'

/** Room for deliveries that are being stored. */
export interface Offer {
  deliveries: readonly (NewDelivery & { offered: Offered })[]
  /** Begins what was opened, and gives back the other slots. */
  accept(rows: readonly StoredRow[]): void
}

interface Slots {
  sessionOf(endpointId: string): Session | undefined
  /** Takes a slot for a session of the tenant. @returns whether there was one */
  take(tenantId: string): boolean
  release(tenantId: string): void
  /** Begins a session in a slot that was taken. */
  begin(endpoint: Endpoint, claimedMs: number, beginning: Beginning): void
  /** Deliveries wait that no session of this process takes. */
  missed(endpointId: string, isLeased: boolean): void
}

/** Offers room to deliveries of endpoints that this process has, as far as their windows go, and to one of each other endpoint. */
export function offerSlots(slots: Slots, deliveries: readonly NewDelivery[]): Offer {
  const askedMs = performance.now()
  const groups = [...Map.groupBy(deliveries, ({ endpoint_id }) => endpoint_id)].map(([id, own]) => {
    const session = slots.sessionOf(id)
    const promised = session?.expect(own.length) ?? 0
    const { tenant_id } = own[0]!
    return { id, own, session, promised, tenant_id, hasSlot: !session && slots.take(tenant_id) }
  })
  const offered = groups.flatMap(({ own, session, promised, hasSlot }) =>
    own.map((delivery, at): NewDelivery & { offered: Offered } => {
      if (session) return { ...delivery, offered: at < promised ? 'open' : 'wait' }
      return { ...delivery, offered: hasSlot && at === 0 ? 'claim' : null }
    }),
  )
  return {
    deliveries: offered,
    accept(rows) {
      const byEndpoint = Map.groupBy(rows, ({ endpoint_id }) => endpoint_id)
      for (const { id, own, session, promised, tenant_id, hasSlot } of groups) {
        const found = byEndpoint.get(id) ?? []
        const isLost = rows.length === 0
        const taken = takenOf(own, found, askedMs)
        const hasMore = isLost || found.some(({ is_open }) => is_open === false)
        const endpoint = found.find((row) => row.id === null)
        if (session) session.bring(taken, { promised, hasMore })
        else if (endpoint?.lease) {
          const claimed = { id, tenant_id, struggling: false, lease: endpoint.lease }
          const [first] = taken
          const isAlone = endpoint.is_alone === true
          slots.begin(claimed, askedMs, { ...(first ? { first } : {}), hasMore: hasMore || !first, isAlone })
        } else {
          if (hasSlot) slots.release(tenant_id)
          if (hasMore && !isLost) slots.missed(id, endpoint !== undefined)
        }
      }
    },
  }
}

/** The deliveries whose attempts were opened. */
function takenOf(deliveries: readonly NewDelivery[], rows: readonly StoredRow[], taken_at_ms: number): TakenDelivery[] {
  const opened = new Map(rows.filter(({ is_open }) => is_open).map((row) => [row.id, row]))
  return deliveries.flatMap((delivery) => {
    const row = opened.get(delivery.id)
    if (!row) return []
    const { is_open: _, lease: _lease, is_alone: _alone, id: _id, ...signer } = row
    return [{ topic: null, ...delivery, ...signer, attempts: 1, charged: 0, held: 0, taken_at_ms }]
  })
}
