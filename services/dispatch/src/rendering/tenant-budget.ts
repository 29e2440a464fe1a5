/** Time that each tenant may take, refilled as time passes. */
export interface TenantBudget {
  /** Whether there is anything left. */
  has(tenantId: string): boolean
  /** What was taken may exceed what was left: the rest is missing afterwards. */
  spend(tenantId: string, ms: number): void
}

interface Options {
  /** Milliseconds a second. */
  msPerSecond: number
  /** The most that can be saved up; by default what a second brings. */
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
