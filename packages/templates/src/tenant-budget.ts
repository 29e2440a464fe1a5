/** A token bucket of time for each tenant. */
export interface TenantBudget {
  /** Whether any budget is left. */
  has(tenantId: string): boolean
  /** May overdraw the budget. */
  spend(tenantId: string, ms: number): void
}

interface Options {
  /** Milliseconds per second. */
  msPerSecond: number
  /** Maximum saved budget; by default that of one second. */
  savedMs?: number
  nowMs?: () => number
}

const maxTenants = 10_000

export function createTenantBudget({
  msPerSecond,
  savedMs = msPerSecond,
  nowMs = () => performance.now(),
}: Options): TenantBudget {
  const spent = new Map<string, { ms: number; atMs: number }>()
  const spentNow = (tenantId: string) => {
    const entry = spent.get(tenantId)
    return entry ? Math.max(0, entry.ms - ((nowMs() - entry.atMs) * msPerSecond) / 1000) : 0
  }
  const forgetRested = () => {
    for (const tenantId of spent.keys()) if (spentNow(tenantId) === 0) spent.delete(tenantId)
  }
  return {
    has: (tenantId) => spentNow(tenantId) < savedMs,
    spend(tenantId, ms) {
      if (spent.size >= maxTenants) forgetRested()
      spent.set(tenantId, { ms: spentNow(tenantId) + ms, atMs: nowMs() })
    },
  }
}
