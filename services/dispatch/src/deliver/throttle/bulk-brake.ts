import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Kit } from '@notify/service-kit'

/** Slows the bulk lanes while this process is overloaded: otherwise codes would wait behind a campaign. */
export interface BulkBrake {
  /** How many times longer than configured the interval between two sends must be; 1 or more. */
  slowdown(): number
}

const everyMs = 100
const resolutionMs = 10
/** After this time without a send nothing is measured, because the timers would be most of the work of an idle process. */
const restAfterMs = 1000
/** From this delay of its timers a process counts as overloaded. */
const lateMs = 15
/** The strongest slowdown: bulk lanes never stop. */
export const mostSlowdown = 8

/** Slows down quickly and recovers slowly, so that the rate settles below the capacity of the process. */
export function nextSlowdown(slowdown: number, delayMs: number): number {
  return delayMs > lateMs ? Math.min(slowdown * 1.5, mostSlowdown) : Math.max(slowdown * 0.95, 1)
}

/** Measures how late the timers of this process are, while bulk messages are sent. Registers its stop. */
export function startBulkBrake({ lifecycle }: Pick<Kit, 'lifecycle'>): BulkBrake {
  let slowdown = 1
  let askedAtMs = 0
  let stop: (() => void) | undefined
  const start = () => {
    // A monitor that was disabled would count the time until it is enabled as a delay, so a new one is created.
    const delays = monitorEventLoopDelay({ resolution: resolutionMs })
    delays.enable()
    const timer = setInterval(() => {
      slowdown = nextSlowdown(slowdown, delays.percentile(75) / 1e6 - resolutionMs)
      delays.reset()
      if (slowdown === 1 && performance.now() - askedAtMs > restAfterMs) stop?.()
    }, everyMs).unref()
    return () => {
      clearInterval(timer)
      delays.disable()
      stop = undefined
    }
  }
  lifecycle.onStop('bulk brake', () => stop?.())
  return {
    slowdown() {
      askedAtMs = performance.now()
      stop ??= start()
      return slowdown
    },
  }
}
