import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { images } from '@notify/bundle/images'
import {
  eventually,
  machineEnvironment,
  makeDataFolder,
  postgresFolders,
  requireBinary,
  type Server,
  startConfigured,
  startPostgres,
} from '@notify/dev-env'
import { containers } from './compose-file.ts'
import type { ComposeNetwork } from './compose-network.ts'
import { program } from './dockerfile.ts'
import { root } from './project.ts'

/** Where a stack of compose runs on this machine. */
export interface ComposeSite {
  network: ComposeNetwork
  /** Its data. */
  folder: string
  /** What .env says. */
  values: Record<string, string>
}

/** Runs initdb as the entry point of Postgres' image does, then the server. */
export async function startPostgresContainer({ network, folder, values }: ComposeSite): Promise<Server> {
  const { POSTGRES_PASSWORD_FILE, POSTGRES_INITDB_ARGS } = network.environmentOf('postgres', values)
  const password = readFileSync(POSTGRES_PASSWORD_FILE!, 'utf8')
  const wanted = join(folder, 'postgres')
  const place = postgresFolders(wanted)
  if (!existsSync(join(place.dataDir, 'PG_VERSION'))) {
    makeDataFolder(place)
    const passwordFile = join(place.dataDir, '..', 'password')
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    if (place.owner) chownSync(passwordFile, place.owner.uid, place.owner.gid)
    const own = [`--pgdata=${place.dataDir}`, '--username=postgres', `--pwfile=${passwordFile}`]
    const args = [...own, '--auth=scram-sha-256', ...POSTGRES_INITDB_ARGS!.split(' ')]
    const env = { PATH: process.env.PATH, LC_ALL: 'C' }
    const result = spawnSync(join(place.bin, 'initdb'), args, { ...place.owner, env, cwd: '/', encoding: 'utf8' })
    rmSync(passwordFile)
    if (result.status !== 0) throw new Error(result.stderr)
  }
  const port = network.portOf('postgres', 5432)
  const { server } = await startPostgres({
    port,
    dataDir: wanted,
    logFile: join(folder, 'log'),
    durable: false,
    password,
  })
  return server
}

/** Starts nats-server with the files of compose, their ports and store on this machine. */
export function startNatsContainer({ network, folder }: ComposeSite): Promise<Server> {
  const port = network.portOf('nats', 4222)
  const place = { 4222: port, 8222: network.portOf('nats', 8222), '"/data"': JSON.stringify(join(folder, 'jetstream')) }
  const configured = join(folder, 'etc-nats')
  mkdirSync(configured, { recursive: true })
  for (const name of ['nats.conf', 'authorization.conf']) {
    const text = Object.entries(place).reduce(
      (text, [from, to]) => text.replace(from, String(to)),
      readFileSync(network.pathIn('nats', `/etc/nats/${name}`), 'utf8'),
    )
    writeFileSync(join(configured, name), forThisServer(text))
  }
  const args = containers.nats!.command!.map((arg) => arg.replace(/^\/etc\/nats(?=\/)/, configured))
  return startConfigured('nats-server', {
    args: [...args, '--addr', '127.0.0.1'],
    port,
    folder: join(folder, 'nats'),
  })
}

/** Leaves out of a configuration for the current nats-server what an older one on this machine does not know. */
function forThisServer(text: string): string {
  const version = spawnSync(requireBinary('nats-server'), ['--version'], { encoding: 'utf8' }).stdout
  const [major = 0, minor = 0] = version.match(/\d+/g)?.map(Number) ?? []
  const knowsAlways = major > 2 || minor >= 10
  return knowsAlways ? text : text.replace('sync_interval: always', '')
}

/** Starts redis-server with the command of compose. */
export function startRedisContainer({ network, folder }: ComposeSite): Promise<Server> {
  const [, file, ...args] = containers.redis!.command!
  const port = network.portOf('redis', 6379)
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  return startConfigured('redis-server', {
    args: [network.pathIn('redis', file!), ...args, ...own],
    port,
    folder: join(folder, 'redis'),
  })
}

/** The program of a container of ours, with its arguments, its environment and its files. */
function launch(
  name: string,
  { network, values }: ComposeSite,
  stdio: ('ignore' | 'inherit' | 'ipc' | number)[],
): ChildProcess {
  const { build, command = program } = containers[name]!
  const [file, ...args] = command
  const source = images[build!.args.IMAGE!]!.programs[file!]!
  const env = { ...machineEnvironment(), LOG_LEVEL: 'warn', ...network.environmentOf(name, values) }
  return spawn(process.execPath, [join(root, source), ...args], { env, cwd: root, stdio })
}

/** Runs a container that ends by itself. @returns its exit code */
export async function runContainer(name: string, place: ComposeSite): Promise<number> {
  const [code] = await once(launch(name, place, ['ignore', 'ignore', 'inherit']), 'exit')
  return code
}

/**
 * Starts a container that runs until it is stopped, and waits until its health check passes.
 * @param running gets what stops it, also when it never becomes ready
 */
export async function startContainer(
  name: string,
  place: ComposeSite,
  running: (() => Promise<unknown>)[],
): Promise<void> {
  const logFile = join(place.folder, `${name}.log`)
  const log = openSync(logFile, 'a')
  const child = launch(name, place, ['ignore', log, 'inherit', 'ipc'])
  closeSync(log)
  const ended = once(child, 'exit')
  running.push(() => {
    child.kill('SIGTERM')
    return ended
  })
  const { PORT, METRICS_PORT } = place.network.environmentOf(name, place.values)
  await eventually(
    async () => {
      if (child.exitCode !== null) return
      const { ok } = await fetch(`http://127.0.0.1:${METRICS_PORT ?? PORT}/readyz`)
      if (!ok) throw new Error(`${name} is not ready`)
    },
    { timeoutMs: 120_000, intervalMs: 200 },
  )
  if (child.exitCode !== null)
    throw new Error(`${name} ended with code ${child.exitCode}: ${readFileSync(logFile, 'utf8').slice(-2000)}`)
}
