import { setTimeout as delay } from 'node:timers/promises'
import type { Kit } from '@notify/service-kit'

/** Longer than the cell needs to restart. */
const repeatedForMs = 600_000
const repeatEveryMs = 2000
/** More of them would fill the memory. */
const mostAtOnce = 500
const isLost =
  'a message for a tenant could not be forwarded to its cell: a STOP counts here alone, unless the carrier repeats it'

/** Repeats a failed forwarding in the background. @param to what is logged when it is given up */
export type RepeatForwarding = (forward: () => Promise<void>, to: { tenantIds: string[]; cell: string }) => void

/** Some carriers never repeat a message, so it is forwarded again until the other cell answers, and a last time when the process stops. */
export function createRepeater({ log, lifecycle }: Pick<Kit, 'log' | 'lifecycle'>): RepeatForwarding {
  const running = new Set<Promise<void>>()
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
  return (forward, { tenantIds: tenant_ids, cell }) => {
    const giveUp = () => log.error({ tenant_ids, cell }, isLost)
    if (running.size >= mostAtOnce) return giveUp()
    const one = repeat(forward)
      .then((isForwarded) => {
        if (!isForwarded) giveUp()
      })
      .finally(() => running.delete(one))
    running.add(one)
  }
}
