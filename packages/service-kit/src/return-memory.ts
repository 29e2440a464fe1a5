import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** From ready on; V8 keeps the garbage of the start for as long as a process is idle. */
const startMs = 1000
const everyMs = 10_000
/** More than the young generation takes, so that a little traffic causes no collection. */
const leastBytes = 64 * 1024 * 1024
/** Busy share of the event loop below which a pause of some 50 ms delays nobody. */
const idleShare = 0.03

/** What decides about a collection; tests replace it. */
export interface Memory {
  /** Bytes of heap and buffers, with the garbage. */
  bytes(): number
  /** Busy share of the event loop since the last call. */
  busyShare(): number
  collect(): void
}

/**
 * Judges whether a collection gives much back.
 * @returns collects if the process has been idle since the last call, and has taken 64 MiB since the last collection
 */
export function createCollector({ bytes, busyShare, collect }: Memory): () => void {
  let least = bytes()
  return () => {
    const isIdle = busyShare() < idleShare
    const now = bytes()
    least = Math.min(least, now)
    if (!isIdle || now - least < leastBytes) return
    collect()
    least = bytes()
  }
}

let scheduled = false

/**
 * Gives memory back that only the start needed, 10 to 30 MiB, and later what a burst of requests has left: V8 collects when
 * something is allocated, which an idle process does not do.
 */
export function returnMemory(): void {
  // Test environments run several services in a process.
  if (scheduled) return
  scheduled = true
  setTimeout(() => {
    collect('last-resort')
    setInterval(createCollector(measured()), everyMs).unref()
  }, startMs).unref()
}

function measured(): Memory {
  let last: EventLoopUtilization | undefined
  return {
    bytes() {
      const { total_physical_size, external_memory } = getHeapStatistics()
      return total_physical_size + external_memory
    },
    busyShare() {
      const now = performance.eventLoopUtilization()
      const { utilization } = last ? performance.eventLoopUtilization(now, last) : now
      last = now
      return utilization
    },
    // V8 goes on by itself after a collection: it returns what is free over the next seconds, in small steps.
    collect: () => collect('regular'),
  }
}

function collect(flavor: 'regular' | 'last-resort'): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: { type: 'major'; flavor: string }) => void
  setFlagsFromString('--no-expose-gc')
  gc({ type: 'major', flavor })
}
