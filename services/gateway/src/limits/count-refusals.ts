import type { Reading } from '@notify/service-kit'
import { LRUCache } from 'lru-cache'

/** Series of one process. */
const mostTenants = 50

/** Counts refused requests by tenant in a bounded number of series: those refused last have their own, the others share `other`. */
export interface RefusalCount {
  count(tenantId: string): void
  readings(): Reading[]
}

export function createRefusalCount(max = mostTenants): RefusalCount {
  let others = 0
  const counts = new LRUCache<string, number>({
    max,
    dispose(count, _tenantId, reason) {
      if (reason === 'evict') others += count
    },
  })
  return {
    count: (tenantId) => counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1),
    readings: () => [
      ...[...counts].map(([tenant_id, value]) => ({ value, attributes: { tenant_id } })),
      { value: others, attributes: { tenant_id: 'other' } },
    ],
  }
}
