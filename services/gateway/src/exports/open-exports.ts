import { Problem } from '@notify/service-kit'

/** The maximum in one process: each holds a batch in memory. */
const mostExports = 32
/** The maximum of one tenant: while fewer than half of all are under way, and beyond. */
const mostOfTenant = { usual: 4, crowded: 1 }

export type OpenExports = ReturnType<typeof createOpenExports>

/** Limits the exports of a process; no tenant can take the slots of the others. */
export function createOpenExports() {
  const byTenant = new Map<string, number>()
  let all = 0
  const end = (tenantId: string) => {
    all--
    const left = byTenant.get(tenantId)! - 1
    if (left > 0) byTenant.set(tenantId, left)
    else byTenant.delete(tenantId)
  }
  return {
    count: () => all,
    /**
     * Takes a slot for an export.
     * @returns a function that releases it
     * @throws Problem `export_limit_reached` when the tenant has its share, `service_unavailable` when all slots are taken
     */
    begin(tenantId: string): () => void {
      const most = all < mostExports / 2 ? mostOfTenant.usual : mostOfTenant.crowded
      const own = byTenant.get(tenantId) ?? 0
      if (own >= most) throw limitReached(most)
      if (all >= mostExports) throw new Problem('service_unavailable', 'Too many exports are under way', { headers })
      all++
      byTenant.set(tenantId, own + 1)
      return () => end(tenantId)
    },
  }
}

const headers = { 'Retry-After': '5' }

function limitReached(most: number): Problem {
  const detail = `A tenant may have at most ${most} ${most === 1 ? 'export' : 'exports'} under way now; read or close those that are open`
  return new Problem('export_limit_reached', detail, { headers })
}
