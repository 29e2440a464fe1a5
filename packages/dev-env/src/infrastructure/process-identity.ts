import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Distinguishes a process from a later one with the same number: its start time and its executable. Not its command line:
 * servers (Redis) rewrite theirs.
 * @returns undefined when there is no such process
 */
export function identityOf(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  if (!existsSync('/proc/self/stat')) return ps(pid, 'lstart=,comm=')
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, the name in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, startTime] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X') return undefined
    return `${startTime} ${readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')}`
  } catch {
    return undefined
  }
}

/** The command line of a process; undefined when there is no such process. */
export function commandOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/cmdline')) return ps(pid, 'command=')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined
  } catch {
    return undefined
  }
}

function ps(pid: number, columns: string): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', columns, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return text.trim() || undefined
  } catch {
    return undefined
  }
}
