import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time that work may hold the event loop before others come in between, in milliseconds. */
const longestTurnMs = 8

let turnEndsAtMs = 0

/**
 * Lets others in when work has held the event loop for long. Called between the parts of work that comes in large lots; of
 * many who wait, one goes on in each turn.
 */
export async function breathe(): Promise<void> {
  while (!mayGoOn()) await nextTurn()
}

function mayGoOn(): boolean {
  const now = performance.now()
  if (turnEndsAtMs === 0) {
    turnEndsAtMs = now + longestTurnMs
    setImmediate(() => {
      turnEndsAtMs = 0
    })
  }
  return now < turnEndsAtMs
}
