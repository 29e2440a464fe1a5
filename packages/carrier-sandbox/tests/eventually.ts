import { setTimeout as wait } from 'node:timers/promises'

/** Repeats an assertion until it holds, and fails as it failed last when it does not hold within `timeoutMs`. */
export async function eventually<T>(assertion: () => T | Promise<T>, timeoutMs = 10_000): Promise<T> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      return await assertion()
    } catch (error) {
      if (performance.now() > deadline) throw error
      await wait(10)
    }
  }
}
