import type { Kit } from './kit.ts'
import { withLogFields } from './telemetry/log-fields.ts'

export interface PeriodicOptions {
  name: string
  /** Longest wait between the end of one round and the start of the next, in milliseconds. */
  everyMs: number
  /** Shortest wait before a round that `run` or `stir` asks for; default `everyMs`. */
  atLeastMs?: number
  /**
   * Runs one round. `true` starts the next round at once, because there is more to do; a number is the milliseconds until
   * something is due.
   * @param woken whether the task was woken or stirred, or had more to do; otherwise the interval has passed
   */
  run(woken: boolean): Promise<unknown>
}

/** Delay after a round that failed, unless the task's own delay is longer. */
const failedEveryMs = 200

/** A task that repeats until the service stops. */
export interface Periodic {
  /** Starts the next round now, or right after the current one. */
  wake(): void
  /** Starts the next round `atLeastMs` after the current or last one, because something may have become due. */
  stir(): void
}

/** Repeats a task. Failed rounds are logged and retried. Registers its stop, which waits for the current round. */
export function startPeriodic(
  { log, lifecycle }: Pick<Kit, 'log' | 'lifecycle'>,
  { name, everyMs, atLeastMs = everyMs, run }: PeriodicOptions,
): Periodic {
  let stopped = false
  let woken = false
  let stirred = false
  let endSleep = () => {}
  let shortenSleep = () => {}
  // Not an AbortSignal: each abort captures a stack, and busy tasks are woken many times a second.
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const startedMs = performance.now()
      let endsMs = startedMs + ms
      let timer = setTimeout(resolve, ms)
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
      shortenSleep = () => {
        if (startedMs + atLeastMs >= endsMs) return
        endsMs = startedMs + atLeastMs
        const leftMs = endsMs - performance.now()
        if (leftMs <= 0) return endSleep()
        clearTimeout(timer)
        timer = setTimeout(resolve, leftMs)
      }
    })
  const waitMs = (result: unknown) => {
    if (failures > 0) return Math.min(everyMs, Math.max(atLeastMs, failedEveryMs))
    if (stirred) return atLeastMs
    return typeof result === 'number' ? Math.min(Math.max(result, atLeastMs), everyMs) : everyMs
  }
  let failures = 0
  let failingSinceMs = 0
  const loop = async () => {
    let result: unknown = false
    while (!stopped) {
      const asked = woken || stirred || result === true
      result = false
      woken = false
      stirred = false
      try {
        result = await run(asked)
        failures = 0
        lifecycle.failingTasks.delete(name)
      } catch (error) {
        // Between two failures: one that is repeated in a day does not count as failing for the day.
        const nowMs = performance.now()
        if (failures === 0) failingSinceMs = nowMs
        lifecycle.failingTasks.set(name, (nowMs - failingSinceMs) / 1000)
        if (failures++ % 20 === 0)
          log.warn({ task: name, err: error, failures }, 'periodic task failed; it will be repeated')
      }
      if (stopped || ((result === true || woken) && failures === 0)) continue
      await sleep(waitMs(result))
      shortenSleep = () => {}
    }
  }
  const running = withLogFields({ task: name }, loop)
  lifecycle.onStop(name, async () => {
    stopped = true
    endSleep()
    await running
  })
  return {
    wake() {
      woken = true
      if (failures === 0) endSleep()
    },
    stir() {
      stirred = true
      if (failures === 0) shortenSleep()
    },
  }
}
