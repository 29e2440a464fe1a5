import { setTimeout as delay } from 'node:timers/promises'

/**
 * Repeats an assertion until it does not throw, for what happens asynchronously: no test sleeps.
 * @param assertion may be asynchronous; its value is returned
 * @throws the assertion's last error, its message preceded by the time waited
 * @example const [message] = await eventually(async () => { const found = await env.messages({ to }); expect(found).toHaveLength(1); return found })
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = 10_000, intervalMs = 25 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const started = performance.now()
  for (;;) {
    try {
      return await assertion()
    } catch (error) {
      const waitedMs = performance.now() - started
      if (waitedMs >= timeoutMs) throw withWait(error, waitedMs)
    }
    await delay(intervalMs)
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
