import { readdirSync, readFileSync } from 'node:fs'

/** The process ids of each named process with its descendants; Linux only. */
export function readTrees(roots: Readonly<Record<string, number>>): Map<string, number[]> {
  const children = new Map<number, number[]>()
  for (const entry of namesIn('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = Number(statOf(Number(entry))[1] ?? 0)
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const treeOf = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(treeOf)]
  return new Map(Object.entries(roots).map(([name, pid]) => [name, treeOf(pid)]))
}

/** The fields of `/proc/PID/stat` after the command, from the state on; none when the process has exited. */
export function statOf(pid: number): string[] {
  const stat = readOrEmpty(`/proc/${pid}/stat`)
  // The command is in parentheses and may contain spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** A file of `/proc`; empty when its process has exited or belongs to another user. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** The names in a folder of `/proc`; none when its process has exited. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
