import { readFileSync } from 'node:fs'
import type { ProcessName, Stack } from '@notify/dev-env'

/** The highest resident memory of a process since its start, in MiB; Linux only. */
export function peakMemory(stack: Stack, name: ProcessName): number | undefined {
  const pid = stack.pids[name]
  if (pid === undefined) return undefined
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return peak ? Math.round(Number(peak[1]) / 1024) : undefined
}
