import type { Principal } from '@notify/contracts'
import { keepDeadLetter, migrate, openDatabase } from '@notify/database'
import { connectBus, provisionStream, readNatsLogin, startConsumers } from '@notify/messaging'
import { createInternalClient, createPrincipalSigner, type Kit, serveHttp } from '@notify/service-kit'
import { loadBootstrap } from './bootstrap/load-bootstrap.ts'
import { createCallers } from './callers/authenticate.ts'
import type { Config } from './config.ts'
import { consumersOf } from './consumers.ts'
import type { Context } from './context.ts'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/schema.ts'
import { streamThrough } from './forwarding/stream-through.ts'
import { createAdmission } from './limits/admit.ts'
import { connectRedis } from './limits/connect-redis.ts'
import { limitKeyOf } from './limits/limit-key.ts'
import { createMetrics } from './metrics.ts'
import { serveOpenApi } from './openapi/serve-openapi.ts'
import { routesOf } from './routes.ts'

const schema = 'gateway'

export async function migrateSchema(config: Config, kit: Pick<Kit, 'log' | 'lifecycle'>): Promise<void> {
  const db = await openDatabase<Tables>(kit, { url: config.DATABASE_URL, poolSize: 1, schema })
  await migrate(db, schema, migrations, kit.log)
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  const db = await openDatabase<Tables>(kit, { url: config.DATABASE_URL, poolSize: config.DATABASE_POOL_SIZE, schema })
  if (config.MIGRATE_ON_START) await migrate(db, schema, migrations, kit.log)
  const redis = connectRedis(kit, config)
  const bus = await connectBus(kit, { login: readNatsLogin(config), requiredForReady: false })
  await provisionStream(bus, 'gateway', config.STREAM_REPLICAS)
  const metrics = createMetrics(kit.metrics)
  const callers = createCallers(db, config)
  const admission = createAdmission(redis, metrics, limitKeyOf(config.BLIND_INDEX_KEY))
  const admit = (principal: Principal, requests?: number) => admission(callers.limitsOf(principal), requests)
  const context: Context = {
    config,
    db,
    log: kit.log,
    metrics,
    dispatch: createInternalClient(config.DISPATCH_URL),
    signPrincipal: await createPrincipalSigner(config.PRINCIPAL_SIGNING_KEY),
    charge: (principal, requests) => void admit(principal, requests),
  }
  if (config.BOOTSTRAP_FILE) await loadBootstrap(context, config.BOOTSTRAP_FILE)
  const openApi = await serveOpenApi()
  await serveHttp(kit, {
    config,
    context,
    routes: routesOf(context),
    door: {
      edge: true,
      authenticate: callers.authenticate,
      admit: (principal) => admit(principal),
    },
    extend(app, door) {
      app.use('/api/v1/callbacks', streamThrough(door, config.CALLBACKS_URL))
      openApi(app, door)
    },
  })
  startConsumers(kit, bus, {
    context,
    consumers: consumersOf(context),
    keepDeadLetter: (letter) => keepDeadLetter(db, letter),
  })
}
