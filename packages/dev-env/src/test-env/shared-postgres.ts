import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireBinary } from '../binaries/find-binary.ts'
import { reservePortBlock } from '../infrastructure/ports.ts'
import { startPostgres } from '../infrastructure/postgres.ts'
import { startReaper } from '../stack/reaper.ts'

/** Environment variable with the URL of the Postgres that the tests of a run share. */
export const sharedPostgresVariable = 'NOTIFY_TEST_POSTGRES_URL'

export interface TestPostgres {
  url: string
  /** Suspends all its processes (SIGSTOP); the kernel still accepts connections. */
  freeze: () => void
  thaw: () => void
  /** Kills all of its processes with SIGKILL and starts it again on the same data. */
  crash: () => Promise<void>
  stop: () => Promise<void>
}

/**
 * Starts a Postgres for tests in a temporary folder, on a random port; `stop` removes the folder.
 * @param durable whether a commit survives `crash`; false by default, which is faster
 */
export async function startTestPostgres({ durable = false }: { durable?: boolean } = {}): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'notify-test-postgres-'))
  chmodSync(folder, 0o755)
  const ports = await reservePortBlock()
  const reaper = startReaper()
  reaper.addFolder(folder)
  const { server, dataDir } = await startPostgres({
    port: ports.base,
    dataDir: join(folder, 'data'),
    logFile: join(folder, 'postgres.log'),
    password: randomBytes(12).toString('hex'),
    durable,
    maxConnections: 500,
    onStart: (pid) => reaper.add('server', pid),
    onEnd: (pid) => reaper.forget(pid),
  })
  const signal = (name: NodeJS.Signals) => {
    // Its process id is 0, which stands for the process group of the caller.
    if (!server.running) throw new Error(`Postgres does not run: it cannot be sent ${name}`)
    // One that stands still starts no backend, which would escape the signal and wait for ever for a lock of those killed.
    sendSignal(server.pid, 'SIGSTOP')
    for (const pid of [server.pid, ...childrenOf(server.pid)]) sendSignal(pid, name)
  }
  return {
    url: server.url,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    crash: async () => {
      signal('SIGKILL')
      await server.restart()
    },
    stop: async () => {
      await server.stop(5000)
      reaper.dismiss()
      await ports.release()
      for (const path of [dataDir, folder]) rmSync(path, { recursive: true, force: true })
    },
  }
}

/** A backend may have ended since it was listed. */
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Each backend leads a process group of its own, so a signal to the server's group does not reach it. */
function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync(requireBinary('ps'), ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []))
}
