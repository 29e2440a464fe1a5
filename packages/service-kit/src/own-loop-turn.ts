import { setImmediate as nextTurn } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/** Waits for a turn of the event loop of its own, so that large pieces of work alternate with other callers' work. */
export function ownLoopTurn(): Promise<void> {
  const turn = last.then(() => nextTurn())
  last = turn
  return turn
}
