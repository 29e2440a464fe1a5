import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Delay of the first collection after the process is ready. Without it, an idle process keeps the garbage of its start. */
const startMs = 1000
const everyMs = 10_000
/** More than the young generation takes, so that a little traffic causes no collection. */
const leastBytes = 64 * 1024 * 1024
/** A busy share of the event loop below this value means that a pause of some 50 ms delays no request. */
const idleShare = 0.03

/** The inputs of the decision to collect; tests replace them. */
export interface Memory {
  /** Bytes of heap and buffers, with the garbage. */
  bytes(): number
  /** Busy share of the event loop since the last call. */
  busyShare(): number
  collect(): void
}

/**
 * Makes a function that collects garbage if that frees much.
 * @returns a function that collects if the process was idle since the last call, and has 64 MiB more than after the last
 * collection
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
 * Returns memory to the system: the 10 to 30 MiB that only the start needed, and later the garbage of bursts of requests. V8
 * collects only when memory is allocated, which an idle process does not do.
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
    // After a collection V8 itself returns the free memory in small steps over the next seconds.
    collect: () => collect('regular'),
  }
}

function collect(flavor: 'regular' | 'last-resort'): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: { type: 'major'; flavor: string }) => void
  setFlagsFromString('--no-expose-gc')
  gc({ type: 'major', flavor })
}
