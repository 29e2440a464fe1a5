/** A fair semaphore: tenants take turns. */
export interface TenantTurns {
  /**
   * Waits for the tenant's turn.
   * @returns a function that releases the place; `undefined` at once when too many of the tenant wait
   */
  enter(tenantId: string): Promise<() => void> | undefined
}

interface Options {
  /** Number of places. */
  places: number
  /** Maximum waiters per tenant. */
  maxWaiting: number
}

/** Tenants take turns, however many of each wait. With more than one place, a single tenant can never take all. */
export function createTenantTurns({ places, maxWaiting }: Options): TenantTurns {
  const mostOfOne = Math.max(1, places - 1)
  const inside = new Map<string, number>()
  /** In the order of turns. */
  const waiting = new Map<string, ((leave: () => void) => void)[]>()
  let free = places

  const admit = (tenantId: string): (() => void) => {
    free--
    inside.set(tenantId, (inside.get(tenantId) ?? 0) + 1)
    return () => {
      free++
      const left = inside.get(tenantId)! - 1
      if (left === 0) inside.delete(tenantId)
      else inside.set(tenantId, left)
      admitNext()
    }
  }
  const mayEnter = (tenantId: string) => free > 0 && (inside.get(tenantId) ?? 0) < mostOfOne
  const admitNext = () => {
    for (const [tenantId, queue] of waiting) {
      if (!mayEnter(tenantId)) continue
      const resolve = queue.shift()!
      // Its next turn comes after all others'.
      waiting.delete(tenantId)
      if (queue.length > 0) waiting.set(tenantId, queue)
      resolve(admit(tenantId))
      return
    }
  }
  return {
    enter(tenantId) {
      const queue = waiting.get(tenantId)
      if (!queue && mayEnter(tenantId)) return Promise.resolve(admit(tenantId))
      if (queue && queue.length >= maxWaiting) return undefined
      return new Promise((resolve) => {
        if (queue) queue.push(resolve)
        else waiting.set(tenantId, [resolve])
      })
    },
  }
}
