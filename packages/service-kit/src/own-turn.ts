import { setImmediate as nextTurn } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/**
 * Waits for a turn of the event loop that no other caller of this gets: large pieces of work then come one at a time, with
 * everybody else's in between.
 */
export function ownTurn(): Promise<void> {
  const turn = last.then(() => nextTurn())
  last = turn
  return turn
}
