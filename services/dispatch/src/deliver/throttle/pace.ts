/** How many sends may begin, at an even rate: a backlog uses up neither the machine nor a carrier's limit. */
export interface Pace {
  /** Sends that may begin now; negative while turns to come are drawn on. */
  available(): number
  /** Sends that may be drawn from the next turn, by messages that have no backlog before them. */
  readonly credit: number
  take(count: number): void
  /** Returns sends that were taken, and did not begin. */
  giveBack(count: number): void
  /** Milliseconds until the next turn, which has at least one send. */
  nextTurnInMs(): number
}

/**
 * How often a backlog is served, in milliseconds. The work after a send (calls, callbacks, statements, events) is batched
 * for the sends of one turn, which costs less than one by one; a backlog waits no longer for it.
 */
const turnMs = 100

/**
 * @param perSecond sends a second; after a pause at most one turn's worth begins at once
 * @param options `now`: milliseconds of a steady clock. `slowdown`: factor, 1 or more, by which the rate is lower at the moment
 */
export function createPace(
  perSecond: number,
  { now = () => performance.now(), slowdown = () => 1 }: { now?: () => number; slowdown?: () => number } = {},
): Pace {
  const most = Math.max(1, (perSecond * turnMs) / 1000)
  let tokens = most
  let countedAtMs = now()
  const perMs = () => perSecond / 1000 / slowdown()
  const available = () => {
    const nowMs = now()
    tokens = Math.min(most, tokens + (nowMs - countedAtMs) * perMs())
    countedAtMs = nowMs
    return tokens
  }
  return {
    available,
    credit: most,
    take(count) {
      tokens = available() - count
    },
    giveBack(count) {
      tokens += count
    },
    nextTurnInMs() {
      const toTurnMs = turnMs - (now() % turnMs)
      return Math.max(toTurnMs, (1 - available()) / perMs())
    },
  }
}
