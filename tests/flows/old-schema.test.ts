import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '@notify/database'
import { eventually, type ServiceProcess, TestEnv } from '@notify/dev-env'
import { openBus } from '@notify/test-kit/bus'
import { createTestKit } from '@notify/test-kit/kit'
import { type Replica, runCommand, startReplica } from '@notify/test-kit/processes'
import { migrationsOf } from '../../scripts/service-declarations.ts'

/** The newest step of dispatch, which the servers wait for. */
const newest = (await migrationsOf('dispatch')).at(-1)!.name
const servers = ['dispatch-api', 'dispatch-worker'] as const

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start([])
  const migrations = (await migrationsOf('dispatch')).filter(({ name }) => name !== newest)
  const config = { DATABASE_URL: env.stack.databaseUrl('dispatch') }
  await migrate(createTestKit('dispatch'), { config, schema: 'dispatch', migrations })
})
afterAll(() => env?.stop())

/** Health on the port of the metrics, as Kubernetes asks for it. */
async function readyOf(name: ServiceProcess): Promise<unknown[]> {
  const response = await fetch(`http://127.0.0.1:${env.stack.ports.metrics[name]}/readyz`)
  const { failures } = (await response.json()) as { failures: string[] }
  return [response.status, failures]
}

/** The main port, as a plain load balancer asks it. */
const mainPortOf = (name: ServiceProcess) => fetch(`http://127.0.0.1:${env.stack.ports.process[name]}/readyz`)

/** As `kubectl apply` starts it: the migration is another process. */
const startServer = (name: ServiceProcess): Promise<Replica> =>
  startReplica(env, name, { MIGRATE_ON_START: 'false', METRICS_PORT: String(env.stack.ports.metrics[name]) })

test('servers that start before the migration of their release serve and consume nothing, and go on when it has run', async () => {
  const starting = servers.map(startServer)
  const waits = [503, ['starting or draining', `migration missing: ${newest}`]]
  for (const name of servers) await eventually(async () => expect(await readyOf(name)).toEqual(waits))
  // A load balancer that probes by TCP alone must see it as away, too.
  for (const name of servers) await expect(mainPortOf(name)).rejects.toThrow('fetch failed')
  await using bus = await openBus(env)
  expect(await bus.jsm.streams.list().next()).toEqual([])
  const migrated = await runCommand(env, 'dispatch-worker', ['migrate'])
  expect(migrated).toMatchObject({ status: 0, output: expect.stringContaining(newest) })
  const replicas = await Promise.all(starting)
  try {
    // On a busy machine Postgres may take longer than the timeout of a probe.
    for (const name of servers) await eventually(async () => expect(await readyOf(name)).toEqual([200, []]))
    expect((await bus.jsm.streams.list().next()).map(({ config }) => config.name)).toContain('DISPATCH')
  } finally {
    await Promise.all(replicas.map((replica) => replica.end('SIGTERM')))
  }
})
