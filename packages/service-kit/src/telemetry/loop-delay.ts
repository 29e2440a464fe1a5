import { createHistogram, type EventLoopUtilization, performance, type RecordableHistogram } from 'node:perf_hooks'

const closeMs = 20
const wideMs = 1000
/** From this much work within `wideMs`, in milliseconds, the event loop is measured closely. */
const busyMs = 50

/** How late the timers of this process are, in nanoseconds; {@link watchLoopDelay}. */
export interface LoopDelay {
  histogram: RecordableHistogram
  stop(): void
}

/**
 * Measures how late the timers of this process are: every 20 ms while it is busy, otherwise once a second, because a timer
 * every 20 ms would be most of the work of an idle process. When it becomes busy, the work of the last second counts as one
 * delay.
 */
export function watchLoopDelay(): LoopDelay {
  const histogram = createHistogram()
  let everyMs = wideMs
  let dueMs = performance.now() + everyMs
  let last: EventLoopUtilization = performance.eventLoopUtilization()
  let timer: NodeJS.Timeout
  const look = () => {
    const nowMs = performance.now()
    const now = performance.eventLoopUtilization()
    const { active, utilization } = performance.eventLoopUtilization(now, last)
    last = now
    const isBusy = utilization > busyMs / wideMs
    const unseenMs = everyMs === wideMs && isBusy ? active : 0
    histogram.record(Math.max(1, Math.round(Math.max(nowMs - dueMs, unseenMs) * 1e6)))
    everyMs = isBusy ? closeMs : wideMs
    dueMs = nowMs + everyMs
    timer = setTimeout(look, everyMs).unref()
  }
  timer = setTimeout(look, everyMs).unref()
  return { histogram, stop: () => clearTimeout(timer) }
}
