import type { Kit } from './kit.ts'
import { withLogFields } from './telemetry/log-fields.ts'

interface PeriodicOptions {
  name: string
  /** Wait between the end of one run and the start of the next, in milliseconds. */
  everyMs: number
  /**
   * Runs one round. Returning `true` starts the next round at once, because there is more to do.
   * @param woken whether the task was woken or had more to do; otherwise the interval has passed
   */
  run(woken: boolean): Promise<unknown>
}

/** A task that repeats until the service stops. */
export interface Periodic {
  /** Starts the next round now, or right after the current one. */
  wake(): void
}

/** Repeats a task. Failed rounds are logged and retried. Registers its stop, which waits for the current round. */
export function startPeriodic(
  { log, lifecycle }: Pick<Kit, 'log' | 'lifecycle'>,
  { name, everyMs, run }: PeriodicOptions,
): Periodic {
  let stopped = false
  let woken = false
  let endSleep = () => {}
  // Not an AbortSignal: each abort captures a stack, and busy tasks are woken many times a second.
  const sleep = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs)
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  let failures = 0
  const loop = async () => {
    let more: unknown = false
    while (!stopped) {
      const asked = woken || more === true
      more = false
      woken = false
      try {
        more = await run(asked)
        failures = 0
      } catch (error) {
        if (failures++ % 20 === 0)
          log.warn({ task: name, err: error, failures }, 'periodic task failed; it will be repeated')
      }
      if (stopped || ((more === true || woken) && failures === 0)) continue
      await sleep()
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
  }
}
