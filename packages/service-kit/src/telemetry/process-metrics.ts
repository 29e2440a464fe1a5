import { performance } from 'node:perf_hooks'
import type { Health } from '../health.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { watchLoopDelay } from './loop-delay.ts'
import type { Metrics } from './metrics.ts'
import { version } from './version.ts'

/** Exports the release, memory and event loop of the process, under OpenTelemetry's names for Node. */
export function measureProcess(
  metrics: Metrics,
  { lifecycle, health }: { lifecycle: Lifecycle; health: Health },
): void {
  metrics.gauge('notify_build_info', 'The release that runs: always 1', () => [
    { value: 1, attributes: { version, node_version: process.versions.node } },
  ])
  metrics.gauge(
    'process_start_time_seconds',
    'Start of the process, as a Unix time',
    () => performance.timeOrigin / 1000,
  )
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process, with all its threads', () =>
    process.memoryUsage.rss(),
  )
  metrics.gauge('v8js_memory_heap_used_bytes', 'Heap in use of the main thread', () => process.memoryUsage().heapUsed)
  metrics.total('process_cpu_seconds_total', 'CPU time of the process, user and system, with all its threads', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  metrics.gauge(
    'process_ready',
    'Whether the process is ready, as at /readyz: 0 or 1, also while it starts',
    async () => Number(await health.isReady()),
  )
  metrics.gauge('process_task_failing_seconds', 'For how long a periodic task has failed, by its name', () =>
    [...lifecycle.failingTasks].map(([task, value]) => ({ value, attributes: { task } })),
  )
  metrics.gauge('process_dependency_degraded', 'Whether an optional dependency is away, by its name', async () => {
    const degraded = await health.degraded()
    return health.preferences.map((dependency) => ({
      value: Number(degraded.includes(dependency)),
      attributes: { dependency },
    }))
  })
  measureEventLoop(metrics, lifecycle)
}

function measureEventLoop(metrics: Metrics, lifecycle: Lifecycle): void {
  const { histogram, stop } = watchLoopDelay()
  lifecycle.onStop('event loop delay', stop)
  metrics.gauge('nodejs_eventloop_delay_p99_seconds', 'Delay of the event loop since the last scrape, p99', () =>
    histogram.count === 0 ? 0 : histogram.percentile(99) / 1e9,
  )
  metrics.gauge('nodejs_eventloop_delay_max_seconds', 'Longest delay of the event loop since the last scrape', () => {
    const longest = histogram.count === 0 ? 0 : histogram.max / 1e9
    histogram.reset()
    return longest
  })
  let last = performance.eventLoopUtilization()
  metrics.gauge('nodejs_eventloop_utilization_ratio', 'Busy share of the event loop since the last scrape', () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  })
}
