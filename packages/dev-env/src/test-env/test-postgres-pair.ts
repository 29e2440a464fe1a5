import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { reservePortBlock } from '../infrastructure/ports.ts'
import { startPostgres } from '../infrastructure/postgres.ts'
import { postgresFolders } from '../infrastructure/postgres-folders.ts'
import { startReaper } from '../stack/reaper.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

export interface TestPostgresPair {
  /** The superuser's URL of whichever is the primary, as the read-write Service of an operator has it. */
  url: string
  /** Kills the primary. Nobody is promoted by that. */
  killPrimary(): Promise<void>
  /** Makes the standby the primary, and leads `url` to it. @returns the superuser's own URL of it */
  promote(): Promise<string>
  stop(): Promise<void>
}

const replication = ['wal_level=replica', 'max_wal_senders=5', 'wal_keep_size=128MB', 'hot_standby=on']
/** A commit is answered when the standby has it on its disk. */
const synchronous = ['synchronous_commit=on', 'synchronous_standby_names=standby']

/** Starts a Postgres whose commits wait for a synchronous standby; `stop` removes their folder. */
export async function startTestPostgresPair(): Promise<TestPostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'notify-test-pair-'))
  chmodSync(folder, 0o755)
  const ports = await reservePortBlock()
  const reaper = startReaper()
  reaper.addFolder(folder)
  const password = randomBytes(12).toString('hex')
  const start = (name: string, port: number, settings: string[]) =>
    startPostgres({
      port,
      dataDir: join(folder, name),
      logFile: join(folder, `${name}.log`),
      password,
      maxConnections: 300,
      settings: [...replication, ...settings],
      onStart: (pid) => reaper.add('server', pid),
      onEnd: (pid) => reaper.forget(pid),
    })
  const seed = await start('primary', ports.base, [])
  await seed.server.stop(5000)
  const source = `host=127.0.0.1 port=${ports.base} user=postgres password=${password} application_name=standby`
  copyAsStandby(seed.dataDir, join(folder, 'standby'))
  const primary = await start('primary', ports.base, synchronous)
  const standby = await start('standby', ports.base + 1, [`primary_conninfo=${source}`])
  let current = primary.server.url
  const proxy: FaultProxy = await startFaultProxy(() => current)
  return {
    url: proxy.via(primary.server.url),
    killPrimary: () => primary.server.kill(),
    async promote() {
      const client = new pg.Client({ connectionString: standby.server.url })
      await client.connect()
      await client.query('select pg_promote(true, 10)')
      await client.end()
      current = standby.server.url
      return current
    },
    async stop() {
      await proxy.stop()
      await Promise.all([primary.server.stop(5000), standby.server.stop(5000)])
      reaper.dismiss()
      await ports.release()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A stopped server's folder is a base backup. */
function copyAsStandby(from: string, wanted: string): void {
  const { dataDir, owner } = postgresFolders(wanted)
  const { status, stderr } = spawnSync('cp', ['-a', from, dataDir], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the standby cannot be made: ${stderr}`)
  const signal = join(dataDir, 'standby.signal')
  writeFileSync(signal, '')
  if (owner) chownSync(signal, owner.uid, owner.gid)
}
