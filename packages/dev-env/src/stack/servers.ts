import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ServiceName, serviceNames } from '@notify/contracts'
import { provisionDatabase, provisionServices } from '@notify/database/provision'
import { installMissing } from '../binaries/install-missing.ts'
import { requireNats, requirePostgres, requireRedis } from '../infrastructure/foreign-servers.ts'
import { startNats } from '../infrastructure/nats.ts'
import { startPostgres } from '../infrastructure/postgres.ts'
import { startRedis } from '../infrastructure/redis.ts'
import type { ServerOptions } from '../infrastructure/server.ts'
import type { ServerProcess } from './process-names.ts'
import type { Stack } from './stack.ts'
import type { StackOptions } from './stack-options.ts'

interface StartServers {
  stack: Stack
  options: StackOptions
  logDir: string
  /** The superuser's URL of the server. */
  adminUrl: string
  databaseName: string
  watch: (name: ServerProcess) => Pick<ServerOptions, 'onStart' | 'onEnd' | 'onCrash'>
}

/** Starts the servers at the same time, or checks those that are given, and prepares the database. */
export async function startServers({
  stack,
  options,
  logDir,
  adminUrl,
  databaseName,
  watch,
}: StartServers): Promise<void> {
  const { durable = true, sharedPostgres, natsUrl, redisUrl, onProgress = () => {} } = options
  const { ports, state, dataDir } = stack
  const base = (name: ServerProcess): ServerOptions => ({
    port: ports.process[name],
    dataDir: join(dataDir, name),
    logFile: join(logDir, `${name}.log`),
    settings: options.settings?.[name] ?? [],
    ...watch(name),
  })
  // First what can be checked in a moment, such as a URL where nothing answers.
  await Promise.all([
    sharedPostgres && requirePostgres(sharedPostgres),
    natsUrl && requireNats(natsUrl),
    redisUrl && requireRedis(redisUrl),
  ])
  if (options.install ?? true) {
    const needed = [...(natsUrl ? [] : ['nats-server' as const]), ...(redisUrl ? [] : ['redis-server' as const])]
    await installMissing(needed, { onProgress })
  }

  const postgres = async () => {
    if (!sharedPostgres) {
      const { server } = await startPostgres({
        ...base('postgres'),
        password: state.postgres_password,
        durable,
        onProgress,
      })
      stack.servers.set('postgres', server)
      onProgress('postgres is ready')
    }
    await provisionDatabase(adminUrl, databaseName)
    const role = (service: ServiceName) => ({ service, password: stack.wiring.servicePassword(service) })
    await provisionServices(stack.adminDatabaseUrl, serviceNames.map(role))
  }
  const nats = async () => {
    if (natsUrl) return
    const isKnown = existsSync(join(dataDir, 'nats', 'jetstream'))
    stack.servers.set('nats', await startNats({ ...base('nats'), state }))
    // Left by an earlier version of the services, which create their own streams but may not change them.
    if (isKnown) await bringStreamsUpToDate(stack.natsUrl)
    onProgress('nats is ready')
  }
  const redis = async () => {
    if (redisUrl) return
    stack.servers.set('redis', await startRedis({ ...base('redis'), state }))
    onProgress('redis is ready')
  }
  // All three are awaited even if one fails, so that the stop finds every server that was started.
  const results = await Promise.allSettled([postgres(), nats(), redis()])
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** Loads the bus when it is needed: most starts, and each file of tests, do without. */
async function bringStreamsUpToDate(natsUrl: string): Promise<void> {
  const { provisionStreams, readNatsLogin } = await import('@notify/messaging')
  await provisionStreams(readNatsLogin({ NATS_URL: natsUrl }), 1)
}
