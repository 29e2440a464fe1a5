import { spawn } from 'node:child_process'
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../startup-error.ts'
import { majorOf } from './postgres-binaries.ts'
import { makeDataFolder, type PostgresFolders, postgresFolders } from './postgres-folders.ts'
import { endStalePostmaster } from './postgres-leftovers.ts'
import { Server, type ServerOptions } from './server.ts'

export interface PostgresOptions extends ServerOptions {
  /** Of the superuser `postgres`. */
  password: string
  /** False for tests: no fsync, a power cut loses everything. Default true. */
  durable?: boolean
  maxConnections?: number
  onProgress?: (text: string) => void
}

export interface PostgresServer {
  server: Server
  /** The actual data folder, which can differ from the wanted one, see {@link postgresFolders}. */
  dataDir: string
}

/** Of the passwords that are set: a connection costs its client a millisecond of hashing with the default, 4096. */
const fastLogin = 'scram_iterations=1'

class PatientServer extends Server {
  /** After a crash, the old server's processes may hold its shared memory for a moment longer. */
  override async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await super.start()
      } catch (error) {
        const passing = /shared memory block|lock file|being shut down/.test(this.output(5).join('\n'))
        if (!passing || attempt === 20) throw error
        await delay(250)
      }
    }
  }
}

/** Starts PostgreSQL on 127.0.0.1, making its data folder first when there is none; `server.url` is the superuser's. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { port, dataDir: wanted, logFile, password, onProgress } = options
  const { onStart, onEnd, onCrash } = options
  const place = postgresFolders(wanted)
  if (!existsSync(join(place.dataDir, 'PG_VERSION'))) {
    onProgress?.('postgres: making a new data folder')
    await initialise(place, options)
  }
  requireSameMajor(place)
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
  const server = new PatientServer(
    url,
    port,
    {
      name: 'postgres',
      command: join(place.bin, 'postgres'),
      args: ['-D', place.dataDir, ...settingsOf(options).flatMap((setting) => ['-c', setting])],
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
      cwd: place.dataDir,
      uid: place.owner?.uid,
      gid: place.owner?.gid,
      logFile,
      // Fast shutdown: sessions are ended, data is written. SIGTERM would wait for the last client.
      stopSignal: 'SIGINT',
      ready: () => accepts(url),
      ...(onStart ? { onStart } : {}),
      ...(onEnd ? { onEnd } : {}),
      ...(onCrash ? { onCrash } : {}),
    },
    () => endStalePostmaster(place.dataDir, onProgress),
  )
  await server.start()
  return { server, dataDir: place.dataDir }
}

/** The data folder of a server whose wanted data folder is given. */
export function postgresDataDir(wanted: string): string {
  return postgresFolders(wanted).dataDir
}

function settingsOf({ port, durable = true, maxConnections = 200, settings = [] }: PostgresOptions): string[] {
  const always = [
    'wal_level=minimal',
    'max_wal_senders=0',
    ...settings,
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `max_connections=${maxConnections}`,
    'shared_buffers=256MB',
    'max_wal_size=2GB',
    'log_timezone=UTC',
    'timezone=UTC',
  ]
  return durable ? always : [...always, fastLogin, 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off']
}

async function initialise(place: PostgresFolders, { password, durable = true }: PostgresOptions): Promise<void> {
  rmSync(place.dataDir, { recursive: true, force: true })
  makeDataFolder(place)
  // Beside the data folder, where the server's user can read it.
  const passwordFile = join(place.dataDir, '..', `initdb-${process.pid}-${Date.now()}`)
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    if (place.owner) chownSync(passwordFile, place.owner.uid, place.owner.gid)
    await runInitdb(place, passwordFile, durable ? [] : ['--set', fastLogin])
  } catch (error) {
    rmSync(place.dataDir, { recursive: true, force: true })
    throw error
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

async function runInitdb(
  { bin, dataDir, owner }: PostgresFolders,
  passwordFile: string,
  settings: string[],
): Promise<void> {
  const child = spawn(
    join(bin, 'initdb'),
    [
      `--pgdata=${dataDir}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
      ...settings,
    ],
    {
      ...owner,
      cwd: dataDir,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return
  const reason = output.split('\n').find((line) => /error|fatal/i.test(line)) ?? output.trim().split('\n').at(-1)
  throw new StartupError(`Postgres cannot make its data folder ${dataDir}: ${reason}`)
}

function requireSameMajor({ dataDir, version }: PostgresFolders): void {
  const found = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim()
  if (found === majorOf(version)) return
  throw new StartupError(
    `the data in ${dataDir} was made by PostgreSQL ${found}, this is ${majorOf(version)}: npm start -- --reset starts over (the development data is lost)`,
  )
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
