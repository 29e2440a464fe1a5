import { readdirSync, readFileSync } from 'node:fs'
import type { Stack } from '@notify/dev-env'

/** Clock ticks in `/proc`: USER_HZ is 100 on common Linux systems. */
const msPerTick = 10

/** CPU time of each process of the stack in milliseconds, Postgres with all backends; Linux only. */
export function cpuTimes(stack: Stack): Map<string, number> {
  const all = readProcesses()
  const times = new Map<string, number>()
  for (const [name, pid] of Object.entries(stack.pids)) times.set(name, treeMs(pid, all))
  const { user, system } = process.cpuUsage()
  times.set('this bench', (user + system) / 1000)
  return times
}

/** CPU time of each process for one message, in microseconds; those below 10 are left out. Rates vary with the machine, this less. */
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

interface ProcessTime {
  parent: number
  ms: number
}

function readProcesses(): Map<number, ProcessTime> {
  const found = new Map<number, ProcessTime>()
  for (const entry of folder('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      // The command is in parentheses and may contain spaces; numbers follow.
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15)
      found.set(Number(entry), { parent: fields[1] ?? 0, ms: (user + system + childUser + childSystem) * msPerTick })
    } catch {
      // The process has exited.
    }
  }
  return found
}

function folder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function treeMs(pid: number, all: ReadonlyMap<number, ProcessTime>): number {
  const own = all.get(pid)?.ms ?? 0
  const children = [...all].filter(([, { parent }]) => parent === pid)
  return children.reduce((sum, [child]) => sum + treeMs(child, all), own)
}
