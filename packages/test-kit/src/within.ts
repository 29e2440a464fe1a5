import { setTimeout as delay } from 'node:timers/promises'
import { expect } from '@jest/globals'
import type { TestEnv } from '@notify/dev-env'

/**
 * Makes the calls concurrently, and expects each to take less than so long. Twice what the machine meanwhile adds to the
 * gateway's answer about its liveness is allowed on top.
 * @returns their values
 */
export async function within<T>(env: TestEnv, limitMs: number, ...calls: (() => Promise<T>)[]): Promise<T[]> {
  const delays = watchDelays(env)
  try {
    const timed = await Promise.all(
      calls.map(async (call) => {
        const beganMs = performance.now()
        const value = await call()
        return { value, tookMs: performance.now() - beganMs }
      }),
    )
    for (const { tookMs } of timed) expect(tookMs).toBeLessThan(limitMs + 2 * delays.longestMs())
    return timed.map(({ value }) => value)
  } finally {
    delays.stop()
  }
}

const pauseMs = 100

/**
 * Asks for the gateway's liveness until it is stopped, to measure what the machine adds to an answer. A stall of this process
 * counts as well, and so does an answer that has not come yet.
 */
export function watchDelays(env: TestEnv): { longestMs(): number; stop(): void } {
  let longestMs = 0
  let beganMs = performance.now()
  let isStopped = false
  const look = () => {
    longestMs = Math.max(longestMs, performance.now() - beganMs - pauseMs)
    return longestMs
  }
  const watch = async () => {
    while (!isStopped) {
      beganMs = performance.now()
      await delay(pauseMs)
      if (!isStopped) await env.call('gateway', 'GET', '/healthz').catch(() => {})
      look()
    }
  }
  void watch()
  return {
    longestMs: look,
    stop() {
      isStopped = true
    },
  }
}
