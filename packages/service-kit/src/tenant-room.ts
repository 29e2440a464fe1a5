/** How many tasks a process handles at a time, and how many of one tenant. */
export interface TenantRoomSize {
  most: number
  mostOfTenant: number
}

/** Waits for room until `untilMs`. @returns a function that releases it; undefined if there was none in time */
export type TenantRoom = (tenantId: string, untilMs: number) => Promise<(() => void) | undefined>

interface Waiting {
  tenantId: string
  enter(): void
}

/**
 * Limits the tasks in progress, and the share of each tenant. A tenant never takes more than it leaves free, so a tenant
 * without tasks finds room.
 */
export function createTenantRoom({ most, mostOfTenant }: TenantRoomSize): TenantRoom {
  const inside = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let taken = 0
  const of = (tenantId: string) => inside.get(tenantId) ?? 0
  const hasRoom = (tenantId: string) => of(tenantId) < Math.min(mostOfTenant, most - taken)
  const enter = (tenantId: string) => {
    taken += 1
    inside.set(tenantId, of(tenantId) + 1)
  }
  const leave = (tenantId: string) => () => {
    taken -= 1
    if (of(tenantId) > 1) inside.set(tenantId, of(tenantId) - 1)
    else inside.delete(tenantId)
    // The end of one task may admit two, because it also lowers the share of its tenant.
    for (const one of waiting) {
      if (!hasRoom(one.tenantId)) continue
      waiting.delete(one)
      one.enter()
    }
  }
  return async (tenantId, untilMs) => {
    if (hasRoom(tenantId)) {
      enter(tenantId)
      return leave(tenantId)
    }
    return new Promise((resolve) => {
      const one: Waiting = {
        tenantId,
        enter() {
          clearTimeout(timer)
          enter(tenantId)
          resolve(leave(tenantId))
        },
      }
      const timer = setTimeout(
        () => {
          waiting.delete(one)
          resolve(undefined)
        },
        Math.max(untilMs - performance.now(), 0),
      )
      waiting.add(one)
    })
  }
}
