import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** Clock ticks in `/proc`: USER_HZ is 100 on common Linux systems. */
const msPerTick = 10
/** V8 releases memory some seconds after the last work. */
const settleSeconds = 20

/** CPU time of a process in milliseconds; Linux only. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The command is in parentheses and may contain spaces; numbers follow.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

/** Resident bytes of a process once it is idle; Linux only. */
export async function settledBytes(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let second = 0; second < settleSeconds; second++) {
    await delay(1000)
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
    least = Math.min(least, Number(kilobytes) * 1024)
  }
  return least
}

/** The limit of open files of a process; each connection is one. */
export function maxOpenFiles(pid: number): number {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))!
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}
