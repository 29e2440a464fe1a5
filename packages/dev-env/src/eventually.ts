import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'

/** An attempt costs both sides CPU time, and what takes long loses little by a longer pause. */
const pauseAfter = (waitedMs: number) => Math.min(Math.max(waitedMs / 4, 50), 250)

/** How long a test waits for what must happen, however busy the machine is. */
export const patienceMs = 60_000

/**
 * Repeats an assertion until it does not throw, for what happens asynchronously: no test sleeps.
 * @param assertion may be asynchronous; its value is returned
 * @param options.timeoutMs a minute; less only where the time itself is promised. The last attempt begins after it
 * @param options.intervalMs pause between attempts; by default a quarter of the time waited, 50 to 250 ms
 * @throws the assertion's last error, its message preceded by the time waited
 * @example const [message] = await eventually(async () => { const found = await env.messages({ to }); expect(found).toHaveLength(1); return found })
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = patienceMs, intervalMs }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const started = performance.now()
  const waitedMs = () => performance.now() - started
  for (;;) {
    // One that began in time has seen the state of then, however late it ends.
    const isLast = waitedMs() >= timeoutMs
    try {
      return await assertion()
    } catch (error) {
      if (isLast) throw withWait(error, waitedMs())
    }
    await delay(intervalMs ?? pauseAfter(waitedMs()))
    // After a stall the timer comes first: what has arrived meanwhile is read before the next attempt.
    await nextTurn()
  }
}

function withWait(error: unknown, waitedMs: number): unknown {
  if (typeof error !== 'object' || error === null || !('message' in error)) return error
  const note = `still so after ${(waitedMs / 1000).toFixed(1)} s: `
  const failure = error as { message: string; stack?: string }
  const stack = failure.stack
  failure.message = note + failure.message
  if (stack) failure.stack = note + stack
  return error
}
