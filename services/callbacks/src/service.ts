import {
  createDeadLetterStore,
  createOutboxWaker,
  deadLettersCommand,
  migrate,
  migrateCommand,
  openDatabase,
  rotateKeysCommand,
  startOutboxRelay,
} from '@notify/database'
import { connectBus, provisionStream, readNatsLogin, startConsumers } from '@notify/messaging'
import { type Commands, type Kit, serveHttp, startPeriodic } from '@notify/service-kit'
import type { Config } from './config.ts'
import { consumersOf } from './consumers.ts'
import type { Context } from './context.ts'
import { encryptedColumns } from './db/encrypted-columns.ts'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/schema.ts'
import { createMetrics } from './metrics.ts'
import { createEmailProviders } from './providers/email-providers.ts'
import { createSmsProviders } from './providers/sms-providers.ts'
import { deleteOldCallbacks } from './records/callback-store.ts'
import { deleteOldReceipts } from './records/receipt-store.ts'
import { routesOf } from './routes.ts'
import { createCertificates } from './sns/certificates.ts'

const schema = 'callbacks'

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
  'rotate-keys': rotateKeysCommand(encryptedColumns),
  'dead-letters': deadLettersCommand,
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  const db = await openDatabase<Tables>(kit, {
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    schema,
    preparedStatements: config.DATABASE_PREPARED_STATEMENTS,
  })
  if (config.MIGRATE_ON_START) await migrate(kit, { config, schema, migrations })
  const bus = await connectBus(kit, { login: readNatsLogin(config), requiredForReady: false })
  await provisionStream(bus, 'callbacks', config.STREAM_REPLICAS)
  const context: Context = {
    config,
    db,
    keyRing: config.ENCRYPTION_KEYS,
    log: kit.log,
    metrics: createMetrics(kit.metrics),
    directory: {
      sms: createSmsProviders(db, config.ENCRYPTION_KEYS),
      email: createEmailProviders(db),
      certificates: createCertificates(kit.log),
    },
    wakeOutbox: createOutboxWaker(kit, bus),
  }
  startOutboxRelay(kit, db, bus, {
    streamReplicas: config.STREAM_REPLICAS,
    republishMs: config.REPUBLISH_WINDOW,
  })
  startPeriodic(kit, { name: 'callback retention', everyMs: 60_000, run: () => deleteOldCallbacks(db) })
  startPeriodic(kit, { name: 'receipt retention', everyMs: 60_000, run: () => deleteOldReceipts(db) })
  await serveHttp(kit, { config, context, routes: routesOf(context), door: { edge: true } })
  startConsumers(kit, bus, {
    context,
    consumers: consumersOf(context),
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: config.REPUBLISH_WINDOW,
  })
}
