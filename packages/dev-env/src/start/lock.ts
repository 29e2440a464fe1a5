import { linkSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endProcess } from '../infrastructure/end-process.ts'
import { identityOf } from '../infrastructure/process-identity.ts'
import { codeOf, StartupError } from '../startup-error.ts'
import { writeSecretFile } from '../state/write-secret-file.ts'

interface Recorded {
  name: string
  pid: number
  /** Start time and executable: a later process with the same number differs. */
  identity: string
}

interface LockContent {
  owner: Recorded
  url: string
  processes: Recorded[]
}

/** Keeps a second `npm start` out of a data folder, and remembers what this one has started. */
export class Lock {
  private readonly file: string
  private readonly content: LockContent

  private constructor(file: string, content: LockContent) {
    this.file = file
    this.content = content
  }

  /**
   * Takes the lock. What a run that was killed left behind is ended first, if it is still what that run had started.
   * @throws StartupError when another run holds it
   */
  static async take(dataDir: string, url: string, onProgress: (text: string) => void): Promise<Lock> {
    const file = join(dataDir, 'dev.lock')
    const content: LockContent = { owner: record('npm start', process.pid), url, processes: [] }
    const mine = `${file}.${process.pid}.new`
    writeSecretFile(mine, content)
    try {
      for (;;) {
        if (link(mine, file)) return new Lock(file, content)
        await clearStale(file, onProgress)
      }
    } finally {
      rmSync(mine, { force: true })
    }
  }

  /** Records a process; a new one of the same name replaces the old one. */
  add(name: string, pid: number): void {
    this.content.processes = [...this.content.processes.filter((each) => each.name !== name), record(name, pid)]
    writeSecretFile(this.file, this.content)
  }

  release(): void {
    rmSync(this.file, { force: true })
  }
}

function record(name: string, pid: number): Recorded {
  return { name, pid, identity: identityOf(pid) ?? '' }
}

function alive({ pid, identity }: Recorded): boolean {
  return identity !== '' && identityOf(pid) === identity
}

/** A link to a complete file: a reader of the lock finds all of its content. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function clearStale(file: string, onProgress: (text: string) => void): Promise<void> {
  const found = read(file)
  if (found && alive(found.owner)) {
    throw new StartupError(
      `already running with pid ${found.owner.pid} at ${found.url}: stop that one first, or run this one elsewhere`,
    )
  }
  const left = found?.processes.filter(alive) ?? []
  if (left.length > 0) {
    onProgress(`an earlier start was killed: ending what it left behind (${left.map(({ name }) => name).join(', ')})`)
    // Postgres, the last in the order, writes its data when asked to stop fast; to others SIGINT means the same as SIGTERM.
    await Promise.all(left.map(({ name, pid }) => endProcess(pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM')))
  }
  rmSync(file, { force: true })
}

function read(file: string): LockContent | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LockContent
  } catch {
    return undefined
  }
}
