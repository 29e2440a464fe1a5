import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type FaultProxy,
  greeting,
  type PortBlock,
  reservePortBlock,
  type Server,
  type Stack,
  startFaultProxy,
  startRedis,
  startTestNatsCluster,
  startTestPgbouncer,
  startTestPostgresPair,
  TestEnv,
  type TestNatsCluster,
  type TestPgbouncer,
  type TestPostgresPair,
} from '@notify/dev-env'

const ini = readFileSync(join(import.meta.dirname, '../../infra/pgbouncer/pgbouncer.ini'), 'utf8')
const services = ['gateway', 'dispatch', 'callbacks'] as const
const processes = ['gateway', 'dispatch-api', 'dispatch-worker', 'callbacks'] as const
const serviceOf = (name: (typeof processes)[number]) =>
  name === 'gateway' || name === 'callbacks' ? name : ('dispatch' as const)

/** The services on servers that have another one of their kind. */
export interface System {
  env: TestEnv
  nats: TestNatsCluster
  postgres: TestPostgresPair
  pgbouncer: TestPgbouncer
  redis: RedisPair
  stop(): Promise<void>
}

export interface RedisPair {
  url: string
  killPrimary(): Promise<void>
  /** Leads the address to the replica, which takes writes from then on. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Starts everything; `stop` removes it in the opposite order. */
export async function startSystem(): Promise<System> {
  const cleanUp: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const step of cleanUp.splice(0).reverse()) await step()
  }
  try {
    const folder = mkdtempSync(join(tmpdir(), 'notify-test-failover-'))
    cleanUp.push(async () => rmSync(folder, { recursive: true, force: true }))
    const ports = await reservePortBlock()
    cleanUp.push(ports.release)
    const postgres = await startTestPostgresPair()
    cleanUp.push(postgres.stop)
    const vars = Object.fromEntries(processes.map((name) => [name, {} as Record<string, string>]))
    const made: { nats?: TestNatsCluster; pgbouncer?: TestPgbouncer; redis?: RedisPair } = {}
    process.env.NOTIFY_TEST_POSTGRES_URL = postgres.url
    const env = await TestEnv.start(services, {
      apart: 'all',
      // PgBouncer of Debian does not support named statements.
      env: { all: { LOG_LEVEL: 'warn', STREAM_REPLICAS: '3', DATABASE_PREPARED_STATEMENTS: 'off' }, ...vars },
      async onStack(stack) {
        made.nats = await startTestNatsCluster({ ports: portsOf(ports, 0, 6), folder, state: stack.state })
        cleanUp.push(made.nats.stop)
        made.redis = await startRedisPair(portsOf(ports, 6, 2), folder, stack)
        cleanUp.push(made.redis.stop)
        const databaseUrls = services.map((service) => stack.databaseUrl(service))
        const port = ports.base + 8
        made.pgbouncer = await startTestPgbouncer({ port, ini, databaseUrls })
        cleanUp.push(made.pgbouncer.stop)
        for (const name of processes) {
          const service = serviceOf(name)
          const pooled = new URL(stack.databaseUrl(service))
          pooled.host = `127.0.0.1:${port}`
          pooled.pathname = '/notify'
          Object.assign(vars[name]!, {
            NATS_URL: made.nats.url(service),
            DATABASE_URL: pooled.href,
            MIGRATION_DATABASE_URL: stack.databaseUrl(service),
            ...(name === 'gateway' ? { REDIS_URL: made.redis.url } : {}),
          })
        }
      },
    })
    cleanUp.push(() => env.stop())
    return { env, postgres, nats: made.nats!, pgbouncer: made.pgbouncer!, redis: made.redis!, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function portsOf({ base }: PortBlock, from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => base + from + index)
}

async function startRedisPair(ports: number[], folder: string, { state }: Stack): Promise<RedisPair> {
  const [first, second] = ports as [number, number]
  const start = (name: string, port: number, settings: string[]): Promise<Server> =>
    startRedis({ port, dataDir: join(folder, name), logFile: join(folder, `${name}.log`), settings, state })
  const primary = await start('redis-primary', first, [])
  const replicates = [`replicaof 127.0.0.1 ${first}`, `masterauth ${JSON.stringify(state.redis_password)}`]
  const replica = await start('redis-replica', second, replicates)
  let current = primary.url
  const proxy: FaultProxy = await startFaultProxy(() => current)
  return {
    url: proxy.via(primary.url),
    killPrimary: () => primary.kill(),
    async promote() {
      await command(replica.port, state.redis_password, 'REPLICAOF NO ONE')
      current = replica.url
    },
    async stop() {
      await proxy.stop()
      await Promise.all([primary.stop(5000), replica.stop(5000)])
    },
  }
}

async function command(port: number, password: string, text: string): Promise<void> {
  const answer = await greeting({ port, say: `AUTH ${password}\r\n${text}\r\n` })
  if (!answer.startsWith('+OK')) throw new Error(`Redis answers ${answer}`)
}
