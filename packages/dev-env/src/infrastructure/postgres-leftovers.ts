import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endProcess } from './end-process.ts'
import { commandOf } from './process-identity.ts'

/**
 * Clears what a crash left in a data folder. postmaster.pid of a dead server is removed (its number may belong to another
 * process by now, which Postgres would take for a running server); a server that still runs on this folder is ended: only
 * an earlier run of ours can have started it.
 */
export async function endStalePostmaster(dataDir: string, onProgress?: (text: string) => void): Promise<void> {
  const file = join(dataDir, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (pid > 0 && commandOf(pid)?.includes(dataDir)) {
    onProgress?.(`postgres: ending the server that an earlier run left behind (pid ${pid})`)
    await endProcess(pid, 'SIGINT')
  }
  rmSync(file, { force: true })
}
