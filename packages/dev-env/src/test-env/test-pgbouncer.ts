import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireBinary } from '../binaries/find-binary.ts'
import { greeting } from '../infrastructure/greeting.ts'
import { unprivilegedUser } from '../infrastructure/postgres-folders.ts'
import { Server } from '../infrastructure/server.ts'
import { startReaper } from '../stack/reaper.ts'

interface TestPgbouncerOptions {
  port: number
  /** The text of a pgbouncer.ini; where it listens, its users and its database become the test's. */
  ini: string
  /** The URLs of its users: all of one database. */
  databaseUrls: readonly string[]
}

export interface TestPgbouncer {
  /** The last lines of its log. */
  output(lines?: number): string[]
  /** Leads to another server: rewrites its file and reloads it, as an operator does after a failover. */
  repoint(databaseUrl: string): void
  stop(): Promise<void>
}

/** Starts PgBouncer for a test, with one database `notify`; `stop` removes its folder. */
export async function startTestPgbouncer({ port, ini, databaseUrls }: TestPgbouncerOptions): Promise<TestPgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'notify-test-pgbouncer-'))
  // It refuses to run as root.
  const owner = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (owner) chownSync(file, owner.uid, owner.gid)
    return file
  }
  chmodSync(folder, 0o755)
  const users = databaseUrls.map((url) => {
    const { username, password } = new URL(url)
    return `"${username}" "${decodeURIComponent(password)}"\n`
  })
  const authFile = write('userlist.txt', users.join(''))
  const configure = (databaseUrl: string) =>
    write(
      'pgbouncer.ini',
      withSettings(ini, {
        notify: databaseOf(databaseUrl),
        listen_addr: '127.0.0.1',
        listen_port: String(port),
        auth_file: authFile,
      }),
    )
  const configFile = configure(databaseUrls[0]!)
  const reaper = startReaper()
  reaper.addFolder(folder)
  const server = new Server(`postgres://127.0.0.1:${port}/notify`, port, {
    name: 'pgbouncer',
    command: requireBinary('pgbouncer'),
    args: [configFile],
    env: { PATH: process.env.PATH },
    cwd: folder,
    uid: owner?.uid,
    gid: owner?.gid,
    logFile: join(folder, 'pgbouncer.log'),
    stopSignal: 'SIGINT',
    // It answers every request for TLS with one letter.
    ready: async () => /^[NS]/.test(await greeting({ port, say: sslRequest })),
    onStart: (pid) => reaper.add('server', pid),
    onEnd: (pid) => reaper.forget(pid),
  })
  await server.start()
  return {
    output: (lines) => server.output(lines),
    repoint(databaseUrl) {
      configure(databaseUrl)
      process.kill(server.pid, 'SIGHUP')
    },
    async stop() {
      await server.stop(5000)
      reaper.dismiss()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function databaseOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `host=${hostname} port=${port} dbname=${decodeURIComponent(pathname.slice(1))}`
}

/** PostgreSQL's protocol, SSLRequest: the length 8, and a code. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** @throws Error when the text has no line for one of the settings */
function withSettings(ini: string, settings: Record<string, string>): string {
  const left = new Map(Object.entries(settings))
  const lines = ini.split('\n').map((line) => {
    const name = line.split('=', 1)[0]!.trim()
    const value = line.includes('=') ? left.get(name) : undefined
    if (value === undefined) return line
    left.delete(name)
    return `${name} = ${value}`
  })
  if (left.size > 0) throw new Error(`pgbouncer.ini has no ${[...left.keys()].join(', ')}`)
  return lines.join('\n')
}
