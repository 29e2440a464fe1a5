import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventually } from '../src/eventually.ts'
import { type PortBlock, reservePortBlock } from '../src/infrastructure/ports.ts'
import { type PostgresServer, postgresDataDir, startPostgres } from '../src/infrastructure/postgres.ts'
import { startTestPostgres } from '../src/test-env/shared-postgres.ts'

let ports: PortBlock
let folder: string

beforeAll(async () => {
  ports = await reservePortBlock()
  folder = mkdtempSync(join(tmpdir(), 'notify-postgres-'))
})

afterAll(async () => {
  await ports.release()
  rmSync(postgresDataDir(join(folder, 'data')), { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

function start(): Promise<PostgresServer> {
  const logFile = join(folder, 'postgres.log')
  return startPostgres({
    port: ports.base,
    dataDir: join(folder, 'data'),
    logFile,
    password: 'pass:word/ü',
    durable: false,
  })
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

// As root, a temporary folder is 0700, and Postgres runs as a user who may not enter it.
test('Postgres runs for a project in a folder that only its owner may enter', async () => {
  chmodSync(folder, 0o700)
  const { server } = await start()
  expect(await query(server.url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }])
  expect(await query(server.url, `select lower('ÄÖ') as lower`)).toEqual([{ lower: 'äö' }])
  await server.stop()
})

test('a wrong password is refused', async () => {
  const { server } = await start()
  const url = server.url.replace(/:[^:@/]+@/, ':wrong@')
  await expect(query(url, 'select 1')).rejects.toThrow(/password authentication failed/)
  await server.stop()
})

test('committed rows are there after kill -9, whatever postmaster.pid says', async () => {
  const { server, dataDir } = await start()
  await query(server.url, 'create table kept as select 42 as answer')
  await query(server.url, 'checkpoint')
  await server.kill('SIGKILL')
  // The number now belongs to another live process: this one.
  const pidFile = join(dataDir, 'postmaster.pid')
  const [, ...rest] = readFileSync(pidFile, 'utf8').split('\n')
  writeFileSync(pidFile, [process.pid, ...rest].join('\n'))
  const again = await start()
  expect(await query(again.server.url, 'select answer from kept')).toEqual([{ answer: 42 }])
  await again.server.stop()
})

test('a server that was killed starts again although one of its processes is still there for a while', async () => {
  const { server } = await start()
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  process.kill(rows[0].pid, 'SIGSTOP')
  const logFile = join(folder, 'postgres.log')
  const { size } = statSync(logFile)
  const said = () => readFileSync(logFile).subarray(size).toString()
  const refused = eventually(() => expect(said()).toMatch(/shared memory block .* is still in use/))
  // There until the new server has noticed it.
  const killed = refused.finally(() => process.kill(rows[0].pid, 'SIGKILL'))
  await Promise.all([server.restart(), killed])
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()
})

test('a test’s server that does not run is not frozen: its process id is that of the caller’s group', async () => {
  const postgres = await startTestPostgres()
  await postgres.stop()
  expect(() => postgres.freeze()).toThrow('Postgres does not run: it cannot be sent SIGSTOP')
})

test('a test’s server starts no backend while all of its processes are frozen', async () => {
  await using ended = new AsyncDisposableStack()
  const postgres = await startTestPostgres()
  ended.defer(() => postgres.stop())
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  ended.defer(() => client.end())
  const backend = (await client.query('select pg_backend_pid() as pid')).rows[0].pid
  const server = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${backend}/status`, 'utf8'))![1]!
  // The server takes them one by one.
  const callers = Array.from({ length: 300 }, () => connect(Number(new URL(postgres.url).port), '127.0.0.1'))
  ended.defer(() => {
    for (const caller of callers) caller.destroy()
  })
  await once(callers[0]!, 'connect')
  postgres.freeze()
  ended.defer(postgres.thaw)
  const states = () => execFileSync('ps', ['-o', 'stat=', '--pid', server, '--ppid', server], { encoding: 'utf8' })
  await eventually(() => expect(states()).toMatch(/^(T\S*\s+)+$/), { timeoutMs: 5000 })
})

test('a server that an earlier run left running is ended, and its data served', async () => {
  const first = await start()
  const second = await start()
  expect(first.server.running).toBe(false)
  expect(await query(second.server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await second.server.stop()
})

test('for data of another major version, one line says how to start over', async () => {
  const { server, dataDir } = await start()
  await server.stop()
  const version = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8')
  writeFileSync(join(dataDir, 'PG_VERSION'), '12\n')
  await expect(start()).rejects.toThrow(/made by PostgreSQL 12, this is \d+: npm start -- --reset/)
  writeFileSync(join(dataDir, 'PG_VERSION'), version)
})

test('a server that cannot start is one line with its own reason', async () => {
  const { server, dataDir } = await start()
  await server.stop()
  appendFileSync(join(dataDir, 'postgresql.conf'), 'no_such_setting = 1\n')
  await expect(start()).rejects.toThrow(
    /postgres ended with exit code 1 before it was ready: FATAL: .*postgresql.conf" contains errors/,
  )
})
