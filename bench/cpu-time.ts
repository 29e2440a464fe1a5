import type { Stack } from '@notify/dev-env'
import { readTrees, statOf } from './process-tree.ts'

/** Clock ticks in `/proc`: USER_HZ is 100 on common Linux systems. */
const msPerTick = 10

/** CPU time of each process of the stack in milliseconds, Postgres with all backends; Linux only. */
export function cpuTimes(stack: Stack): Map<string, number> {
  const times = new Map<string, number>()
  for (const [name, pids] of readTrees(stack.pids))
    times.set(
      name,
      pids.reduce((sum, pid) => sum + cpuMs(pid), 0),
    )
  const { user, system } = process.cpuUsage()
  times.set('this bench', (user + system) / 1000)
  return times
}

/** CPU time of each process for one message, in microseconds, without those below 10. Varies less than rates. */
export function cpuPerMessage(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  messages: number,
): Map<string, number> {
  const spent = [...after].map(([name, ms]) => [name, ((ms - (before.get(name) ?? 0)) * 1000) / messages] as const)
  return new Map(spent.filter(([, microseconds]) => microseconds >= 10).sort(([, a], [, b]) => b - a))
}

/** Prints the CPU time of each process for one message. */
export function printCpu(spent: ReadonlyMap<string, number>): void {
  const total = [...spent.values()].reduce((sum, microseconds) => sum + microseconds, 0)
  const list = [...spent].map(([name, microseconds]) => `${name} ${Math.round(microseconds)}`)
  console.log(`  CPU a message: ${Math.round(total)} µs (${list.join(', ')})`)
}

/** User and system time of a process and of the children that it has waited for. */
export function cpuMs(pid: number): number {
  const times = statOf(pid).slice(11, 15).map(Number)
  return times.reduce((sum, ticks) => sum + ticks, 0) * msPerTick
}
