import { readFileSync } from 'node:fs'

/** Resident memory of a process, in MiB; Linux only. */
export const residentMiB = (pid: number): number => fieldOf(pid, 'VmRSS')

/** The highest resident memory of a process since its start, in MiB; Linux only. */
export const peakMiB = (pid: number): number => fieldOf(pid, 'VmHWM')

function fieldOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024)
}
