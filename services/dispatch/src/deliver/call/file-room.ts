/** Messages with files that a process sends at a time, and those of one tenant: each takes several times their bytes. */
const most = 6
const mostOfTenant = 3

/** Waits for room. @returns a function that gives it back; undefined when there was none in time */
export type FileRoom = (tenantId: string, untilMs: number) => Promise<(() => void) | undefined>

interface Waiting {
  tenantId: string
  enter(): void
}

/** Bounds the memory that files take while they are sent, and the share of each tenant. */
export function createFileRoom(): FileRoom {
  const inside = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let taken = 0
  const of = (tenantId: string) => inside.get(tenantId) ?? 0
  const hasRoom = (tenantId: string) => taken < most && of(tenantId) < mostOfTenant
  const enter = (tenantId: string) => {
    taken += 1
    inside.set(tenantId, of(tenantId) + 1)
  }
  const leave = (tenantId: string) => () => {
    taken -= 1
    if (of(tenantId) > 1) inside.set(tenantId, of(tenantId) - 1)
    else inside.delete(tenantId)
    for (const one of waiting) {
      if (!hasRoom(one.tenantId)) continue
      waiting.delete(one)
      one.enter()
      return
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
