import { setTimeout as delay } from 'node:timers/promises'
import { inProgress } from './refusals.ts'

/** How long a request may wait in total for others with its key. */
export interface Patience {
  /** Waits for another request. @throws Problem `idempotency_in_progress` on timeout */
  until(other: Promise<void>): Promise<void>
  /** Waits a moment. @throws Problem `idempotency_in_progress` on timeout */
  pause(): Promise<void>
}

const pauseMs = 50

export function createPatience(waitMs: number): Patience {
  let leftMs = waitMs
  const spend = async (wait: (signal: AbortSignal) => Promise<unknown>) => {
    if (leftMs <= 0) throw inProgress()
    const started = performance.now()
    const over = new AbortController()
    try {
      await wait(over.signal)
    } finally {
      over.abort()
      leftMs -= performance.now() - started
    }
  }
  return {
    until: (other) =>
      spend((signal) => {
        const late = delay(leftMs, undefined, { signal }).then(() => {
          throw inProgress()
        })
        late.catch(() => {})
        return Promise.race([other, late])
      }),
    pause: () => spend(() => delay(Math.min(pauseMs, leftMs))),
  }
}

/** The tail of each queue of this process, by name. */
export type Lines = Map<string, Promise<void>>

/** Runs work of the same name sequentially, in memory; waiting holds no connection. */
export async function takeTurns<T>(lines: Lines, name: string, patience: Patience, work: () => Promise<T>): Promise<T> {
  const ahead = lines.get(name)
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  // A waiter that times out must not let those behind it overtake the one ahead.
  const over = ahead ? ahead.then(() => left) : left
  lines.set(name, over)
  void over.then(() => {
    if (lines.get(name) === over) lines.delete(name)
  })
  try {
    if (ahead) await patience.until(ahead)
    return await work()
  } finally {
    leave()
  }
}
