import { setTimeout as delay } from 'node:timers/promises'

/** Starts sends at an even rate, so that a backlog uses up neither the machine nor a carrier's limit. */
export interface Pace {
  /** Resolves when the next send may begin. */
  next(): Promise<void>
}

/**
 * How often starts are handed out, in milliseconds. Whatever follows a send (calls, callbacks, statements, events) is done for
 * those of one turn together, which costs less than one by one; a backlog waits no longer for it.
 */
const turnMs = 100

/**
 * @param perSecond sends a second; after a pause at most one turn's worth begins at once
 * @param options `now`: milliseconds of a steady clock. `slowdown`: factor, 1 or more, by which the interval is longer at the moment
 */
export function createPace(
  perSecond: number,
  { now = () => performance.now(), slowdown = () => 1 }: { now?: () => number; slowdown?: () => number } = {},
): Pace {
  const intervalMs = 1000 / perSecond
  let nextAtMs = 0
  return {
    async next() {
      const nowMs = now()
      nextAtMs = Math.max(nextAtMs + intervalMs * slowdown(), nowMs - turnMs)
      if (nextAtMs <= nowMs) return
      // Put off to the end of a turn that all share, so that starts come in small groups.
      await delay(Math.ceil(nextAtMs / turnMs) * turnMs - nowMs)
    },
  }
}
