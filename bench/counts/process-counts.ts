import { cpuMs } from '../cpu-time.ts'
import { namesIn, readOrEmpty, readTrees } from '../process-tree.ts'
import type { Counts } from './counts.ts'

/**
 * CPU time, context switches and write calls by process, with descendants and threads. `writes` counts `write`, `writev` and
 * `pwrite` to sockets, files and the pipes that wake threads; Postgres uses `send` for answers, so only its files count. Linux only.
 */
export function readProcessCounts(roots: Readonly<Record<string, number>>): Counts {
  const trees = readTrees(roots)
  const sumOf = (of: (pid: number) => number) =>
    Object.fromEntries([...trees].map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + of(pid), 0)]))
  return { cpu_us: sumOf((pid) => cpuMs(pid) * 1000), switches: sumOf(switchesOf), writes: sumOf(writesOf) }
}

function switchesOf(pid: number): number {
  const statuses = namesIn(`/proc/${pid}/task`).map((thread) => readOrEmpty(`/proc/${pid}/task/${thread}/status`))
  const found = statuses.flatMap((status) => [...status.matchAll(/ctxt_switches:\s+(\d+)/g)])
  return found.reduce((sum, [, count]) => sum + Number(count), 0)
}

function writesOf(pid: number): number {
  return Number(/^syscw: (\d+)$/m.exec(readOrEmpty(`/proc/${pid}/io`))?.[1] ?? 0)
}
