import { setTimeout as delay } from 'node:timers/promises'
import { createTenantRoom, type Kit } from '@notify/service-kit'

/** Longer than the cell needs to restart. */
const repeatedForMs = 600_000
const repeatEveryMs = 2000
/** More of them would fill the memory. */
const room = { most: 500, mostOfTenant: 125 }
const isLost =
  'a message for a tenant could not be forwarded to its cell: a STOP counts here alone, unless the carrier repeats it'

/** Repeats a failed forwarding in the background. @param to whose it is, at least one tenant: logged when it is given up */
export type RepeatForwarding = (forward: () => Promise<void>, to: { tenantIds: string[]; cell: string }) => void

/** Some carriers never repeat a message, so it is forwarded again until the other cell answers, and a last time when the process stops. */
export function createRepeater({ log, lifecycle }: Pick<Kit, 'log' | 'lifecycle'>): RepeatForwarding {
  const running = new Set<Promise<void>>()
  const enter = createTenantRoom(room)
  const stop = new AbortController()
  lifecycle.onStop('messages to forward', () => {
    stop.abort()
    return Promise.all(running)
  })
  const repeat = async (forward: () => Promise<void>): Promise<boolean> => {
    const untilMs = performance.now() + repeatedForMs
    do {
      await delay(repeatEveryMs, undefined, { signal: stop.signal }).catch(() => {})
      const isForwarded = await forward().then(
        () => true,
        () => false,
      )
      if (isForwarded) return true
    } while (performance.now() < untilMs && !stop.signal.aborted)
    return false
  }
  const repeatInRoom = async (forward: () => Promise<void>, tenantId: string): Promise<boolean> => {
    const leave = await enter(tenantId, performance.now())
    return leave ? repeat(forward).finally(leave) : false
  }
  return (forward, { tenantIds: tenant_ids, cell }) => {
    const one = repeatInRoom(forward, tenant_ids[0]!)
      .then((isForwarded) => {
        if (!isForwarded) log.error({ tenant_ids, cell }, isLost)
      })
      .finally(() => running.delete(one))
    running.add(one)
  }
}
