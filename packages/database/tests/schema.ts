import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { TestEnv } from '../../dev-env/src/index.ts'
import { createTestKit, type TestKit } from '../../service-kit/tests/test-kit.ts'
import { migrate } from '../src/migrations/migrate.ts'
import type { Migrations } from '../src/migrations/migration.ts'
import { type Database, openDatabase } from '../src/open.ts'

/** The table that the tests write to. */
interface Tables {
  things: { id: number; name: string }
}

export interface Process {
  kit: TestKit
  db: Database<Tables>
}

/** One process of a service, with its pool. */
export async function startProcess(
  env: TestEnv,
  { url = env.stack.databaseUrl('consent'), poolSize = 4 } = {},
): Promise<Process> {
  const kit = createTestKit('consent')
  const db = await openDatabase<Tables>(kit, { url, poolSize, schema: 'consent' })
  return { kit, db }
}

/** Makes shared tables in the schema of the tests. */
export async function makeTables(env: TestEnv, migrations: Migrations): Promise<void> {
  const kit = createTestKit('consent')
  await migrate(kit, { config: { DATABASE_URL: env.stack.databaseUrl('consent') }, schema: 'consent', migrations })
}

/** A wire to Postgres that can be cut. */
export interface Wire {
  url: string
  cut(): Promise<void>
  mend(): Promise<void>
}

export async function startWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let port = 0
  let server: Server | undefined
  const mend = async () => {
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname)
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
      }
      near.pipe(far).pipe(near)
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  await mend()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    mend,
    async cut() {
      const closed = server && once(server, 'close')
      server?.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
