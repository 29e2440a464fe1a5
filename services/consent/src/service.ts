import {
  createDeadLetterStore,
  createOutboxWaker,
  deadLettersCommand,
  deleteExpiredKeys,
  migrateCommand,
  openDatabase,
  reindexCommand,
  rotateKeysCommand,
  startOutboxRelay,
} from '@notify/database'
import { consumersCommand, openBus, startConsumers } from '@notify/messaging'
import { createBlindIndex, createFingerprint } from '@notify/privacy'
import { type Commands, commandOnDemand, type Kit, serveHttp, startPeriodic } from '@notify/service-kit'
import type { Config } from './config.ts'
import { consumers } from './consumers.ts'
import type { Context } from './context.ts'
import { encryptedColumns } from './db/encrypted-columns.ts'
import { indexedTables } from './db/indexed-tables.ts'
import { migrations } from './db/migrations.ts'
import { createMetrics } from './metrics.ts'
import { routes } from './routes.ts'

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
  'rotate-keys': rotateKeysCommand(encryptedColumns),
  reindex: reindexCommand(indexedTables),
  'dead-letters': deadLettersCommand,
  consumers: consumersCommand(consumers),
  'erase-recipient': commandOnDemand(async () => (await import('./erasure/erase-recipient.ts')).eraseRecipient),
  'export-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).exportTenant),
  'import-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).importTenant),
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  const db = await openDatabase(kit, { config, migrations })
  // Consent queries are answered without the bus too.
  const bus = await openBus(kit, config, { requiredForReady: false })
  const context: Context = {
    db,
    log: kit.log,
    metrics: createMetrics(kit.metrics),
    secrets: {
      keyRing: config.ENCRYPTION_KEYS,
      blindIndex: createBlindIndex(config.BLIND_INDEX_KEY),
      fingerprint: createFingerprint(config.FINGERPRINT_KEY),
    },
    wakeOutbox: createOutboxWaker(kit, bus),
  }
  startOutboxRelay(kit, db, bus, { streamReplicas: config.STREAM_REPLICAS, republishMs: config.REPUBLISH_WINDOW })
  startPeriodic(kit, { name: 'idempotency retention', everyMs: 60_000, run: () => deleteExpiredKeys(db) })
  await serveHttp(kit, { config, context, routes })
  startConsumers(kit, bus, {
    context,
    consumers,
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: config.REPUBLISH_WINDOW,
  })
}
