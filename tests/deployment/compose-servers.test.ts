import { spawnSync } from 'node:child_process'
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestKit } from '@notify/test-kit/service-kit'
import pg from 'pg'
import { provisionDatabase } from '../../packages/database/src/provision.ts'
import { findBinary } from '../../packages/dev-env/src/binaries/find-binary.ts'
import { greeting } from '../../packages/dev-env/src/infrastructure/greeting.ts'
import { type PortBlock, reservePortBlock } from '../../packages/dev-env/src/infrastructure/ports.ts'
import { startPostgres } from '../../packages/dev-env/src/infrastructure/postgres.ts'
import {
  makeDataFolder,
  type PostgresPlace,
  postgresPlace,
} from '../../packages/dev-env/src/infrastructure/postgres-place.ts'
import { startConfigured } from '../../packages/dev-env/src/infrastructure/start-configured.ts'
import { connectBus, provisionStream, readNatsLogin } from '../../packages/messaging/src/index.ts'
import { containers, environmentOf, fillIn, serviceContainers } from './compose-file.ts'
import { makeEnvironment } from './make-environment.ts'

const root = join(import.meta.dirname, '..', '..')
const { values } = makeEnvironment()
let folder: string
let ports: PortBlock

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notify-compose-'))
  ports = await reservePortBlock()
})
afterAll(async () => {
  await ports.release()
  rmSync(folder, { recursive: true })
})

/** Runs initdb as the entry point of the image does. */
function initialise(place: PostgresPlace, args: string, password: string): void {
  const passwordFile = join(place.dataDir, '..', 'password')
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (place.owner) chownSync(passwordFile, place.owner.uid, place.owner.gid)
  const own = [`--pgdata=${place.dataDir}`, '--username=postgres', `--pwfile=${passwordFile}`, ...args.split(' ')]
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const result = spawnSync(join(place.bin, 'initdb'), own, { ...place.owner, env, cwd: '/', encoding: 'utf8' })
  rmSync(passwordFile)
  expect([result.status, result.stderr]).toEqual([0, expect.not.stringContaining('error')])
}

test('Postgres makes its data with the arguments of compose, and compares identifiers by their bytes', async () => {
  const environment = environmentOf(containers.postgres!, values)
  const wanted = join(folder, 'postgres')
  const place = postgresPlace(wanted)
  makeDataFolder(place)
  const password = environment.POSTGRES_PASSWORD!
  initialise(place, environment.POSTGRES_INITDB_ARGS!, password)
  const options = { port: ports.base, dataDir: wanted, logFile: join(folder, 'postgres.log'), durable: false }
  const { server } = await startPostgres({ ...options, password })
  try {
    await provisionDatabase(server.url, 'notify')
    const client = new pg.Client({ connectionString: server.url.replace(/postgres$/, 'notify') })
    await client.connect()
    const { rows } = await client.query(
      `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale
       from pg_database where datname = 'notify'`,
    )
    await client.end()
    expect(rows).toEqual([{ encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' }])
  } finally {
    await server.stop()
    rmSync(place.dataDir, { recursive: true, force: true })
  }
})

/** Leaves out of a configuration for the current nats-server what an older one on this machine does not know. */
function forThisServer(text: string): string {
  const version = spawnSync(findBinary('nats-server')!, ['--version'], { encoding: 'utf8' }).stdout
  const [major = 0, minor = 0] = version.match(/\d+/g)?.map(Number) ?? []
  const knowsAlways = major > 2 || minor >= 10
  return knowsAlways ? text : text.replace('sync_interval: always', '')
}

test('NATS starts with the file of compose, and lets in each service with the login of compose, and nobody else', async () => {
  const { command = [] } = containers.nats!
  const [port, monitoring] = [ports.base + 1, ports.base + 2]
  // The mounted folder, with ports and a store of this machine.
  const mounted = join(folder, 'etc-nats')
  cpSync(join(root, 'infra/nats'), mounted, { recursive: true })
  const file = join(mounted, 'nats.conf')
  const text = forThisServer(readFileSync(file, 'utf8'))
    .replace('4222', String(port))
    .replace('8222', String(monitoring))
  writeFileSync(file, text.replace('"/data"', JSON.stringify(join(folder, 'jetstream'))))
  const server = await startConfigured('nats-server', {
    args: [...command.map((arg) => arg.replace(/^\/etc\/nats(?=\/)/, mounted)), '--addr', '127.0.0.1'],
    env: environmentOf(containers.nats!, values),
    port,
    folder: join(folder, 'nats'),
  })
  try {
    for (const [, service, container] of serviceContainers) {
      const { NATS_USER, NATS_PASSWORD } = environmentOf(container, values)
      const kit = createTestKit(service as 'otp')
      const login = readNatsLogin({ NATS_URL: `nats://127.0.0.1:${port}`, NATS_USER, NATS_PASSWORD })
      const bus = await connectBus(kit, { login, requiredForReady: true })
      await provisionStream(bus, service as 'otp', 1)
      await kit.stop()
    }
    const nobody = createTestKit('otp')
    const login = readNatsLogin({ NATS_URL: `nats://127.0.0.1:${port}` })
    await expect(connectBus(nobody, { login, requiredForReady: true })).rejects.toThrow('refuses the login')
    const health = await fetch(`http://127.0.0.1:${monitoring}/healthz?js-enabled-only=true`)
    expect(health.status).toBe(200)
  } finally {
    await server.stop()
  }
})

test('Redis starts with the command of compose, and answers nobody without the password that the gateway has', async () => {
  const [, ...args] = fillIn(containers.redis!.command!, values)
  const port = ports.base + 3
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const server = await startConfigured('redis-server', { args: [...args, ...own], port, folder: join(folder, 'redis') })
  try {
    const url = new URL(environmentOf(containers.gateway!, values).REDIS_URL!)
    expect(await greeting({ port, say: 'PING\r\n' })).toMatch(/^-NOAUTH/)
    expect(await greeting({ port, say: `AUTH ${url.password}\r\n` })).toBe('+OK\r\n')
    expect(environmentOf(containers.redis!, values).REDISCLI_AUTH).toBe(url.password)
  } finally {
    await server.stop()
  }
})
