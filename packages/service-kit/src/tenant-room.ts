/** How many tasks a process handles at a time, and how many of one tenant. */
export interface TenantRoomSize {
  most: number
  mostOfTenant: number
}

/** Waits for room until `untilMs`. @returns a function that releases it; undefined if there was none in time */
export type TenantRoom = (tenantId: string, untilMs: number) => Promise<(() => void) | undefined>

type Enter = () => void

/**
 * Limits the tasks in progress, and the share of each tenant. A tenant never takes more than it leaves free, so a tenant
 * without tasks finds room.
 */
export function createTenantRoom({ most, mostOfTenant }: TenantRoomSize): TenantRoom {
  const inside = new Map<string, number>()
  /** Of each tenant, in order. A tenant that was admitted goes behind the others. */
  const waiting = new Map<string, Set<Enter>>()
  let taken = 0
  const of = (tenantId: string) => inside.get(tenantId) ?? 0
  const hasRoom = (tenantId: string) => of(tenantId) < Math.min(mostOfTenant, most - taken)
  const enter = (tenantId: string) => {
    taken += 1
    inside.set(tenantId, of(tenantId) + 1)
  }
  const forget = (tenantId: string, one: Enter) => {
    const queue = waiting.get(tenantId)!
    queue.delete(one)
    waiting.delete(tenantId)
    if (queue.size > 0) waiting.set(tenantId, queue)
  }
  const leave = (tenantId: string) => () => {
    taken -= 1
    if (of(tenantId) > 1) inside.set(tenantId, of(tenantId) - 1)
    else inside.delete(tenantId)
    // The end of one task may admit two, because it also lowers the share of its tenant.
    for (const [next, queue] of [...waiting]) {
      if (!hasRoom(next)) continue
      const [first] = queue
      forget(next, first!)
      first!()
    }
  }
  return async (tenantId, untilMs) => {
    if (hasRoom(tenantId)) {
      enter(tenantId)
      return leave(tenantId)
    }
    return new Promise((resolve) => {
      const one = () => {
        clearTimeout(timer)
        enter(tenantId)
        resolve(leave(tenantId))
      }
      const timer = setTimeout(
        () => {
          forget(tenantId, one)
          resolve(undefined)
        },
        Math.max(untilMs - performance.now(), 0),
      )
      const queue = waiting.get(tenantId)
      if (queue) queue.add(one)
      else waiting.set(tenantId, new Set([one]))
    })
  }
}
