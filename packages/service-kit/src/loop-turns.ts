import { setImmediate as nextTurn } from 'node:timers/promises'

let last: Promise<unknown> = Promise.resolve()

/** Waits for a turn of the event loop of its own, so that large pieces of work alternate with other callers' work. */
export function ownLoopTurn(): Promise<void> {
  const turn = last.then(() => nextTurn())
  last = turn
  return turn
}

/** Resolves once the event loop has read what had arrived before: the first immediate may run ahead of the next poll. */
export function afterNextPoll(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}
