/** Lets sends begin at an even rate, so that a backlog neither overloads the machine nor uses up a carrier's limit. */
export interface Pace {
  /** Sends that may begin now; negative while sends of later turns have been used in advance. */
  available(): number
  /** Sends of the next turn that messages of queues without a backlog may use in advance. */
  readonly credit: number
  take(count: number): void
  /** Returns sends that were taken, and did not begin. */
  giveBack(count: number): void
  /** Milliseconds until the next turn, which has at least one send. */
  nextTurnInMs(): number
}

/**
 * Length of a turn, in milliseconds. The sends of a turn share their further work (statements, events, callbacks), which
 * costs less than one by one.
 */
const turnMs = 100

/**
 * @param perSecond sends a second; after a pause at most one turn's worth begins at once
 * @param options `now`: milliseconds of a steady clock. `slowdown`: the factor, at least 1, by which the rate is reduced now
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
