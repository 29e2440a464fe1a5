import { setTimeout as delay } from 'node:timers/promises'
import { inProgress } from './refusals.ts'

/** The tail of each queue of this process, by name. */
export type Lines = Map<string, Promise<void>>

const pauseMs = 50

/**
 * Runs work of the same name one after the other. Waiting is in memory, without a connection. While another process does the
 * work, it is tried again after a pause.
 * @param waitMs how long to wait in total, for work of this and of other processes
 * @param work returns undefined while another process is doing it
 * @throws Problem `idempotency_in_progress` on timeout
 */
export async function takeTurns<T>(
  lines: Lines,
  name: string,
  waitMs: number,
  work: () => Promise<T | undefined>,
): Promise<T> {
  const ahead = lines.get(name)
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  // If this waiter times out, those behind it must still wait for the one ahead.
  const over = ahead ? ahead.then(() => left) : left
  lines.set(name, over)
  void over.then(() => {
    if (lines.get(name) === over) lines.delete(name)
  })
  const patience = createPatience(waitMs)
  try {
    if (ahead) await patience.until(ahead)
    for (;;) {
      const result = await work()
      if (result !== undefined) return result
      await patience.pause()
    }
  } finally {
    leave()
  }
}

/** The remaining time to wait. */
function createPatience(waitMs: number) {
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
    until: (other: Promise<void>) =>
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
