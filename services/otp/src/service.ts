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
import {
  type Commands,
  commandOnDemand,
  connectRedis,
  createInternalClient,
  createPrincipalSigner,
  createTtlCache,
  type Kit,
  serveHttp,
  startPeriodic,
} from '@notify/service-kit'
import { createSettingsOf } from './applications/create-settings-of.ts'
import { createCodeProof } from './codes/code-proof.ts'
import type { Config } from './config.ts'
import { consumers } from './consumers.ts'
import type { Context } from './context.ts'
import { encryptedColumns } from './db/encrypted-columns.ts'
import { indexedTables } from './db/indexed-tables.ts'
import { migrations } from './db/migrations.ts'
import { listConversions } from './limits/conversion-store.ts'
import { createVelocity } from './limits/create-velocity.ts'
import { createFraudGuard } from './limits/fraud-guard.ts'
import { createHandOver } from './messages/hand-over.ts'
import { startResumption } from './messages/start-resumption.ts'
import { createMetrics } from './metrics.ts'
import { routes } from './routes.ts'
import { createTransactionDeletion } from './transactions/delete-old.ts'
import { expireTransactions } from './transactions/expire-transactions.ts'
import { createTryCode } from './transactions/try-codes.ts'

/** Counting them reads all codes of the window. */
const conversionsKeptMs = 60_000

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
  'rotate-keys': rotateKeysCommand(encryptedColumns),
  reindex: reindexCommand(indexedTables),
  'dead-letters': deadLettersCommand,
  consumers: consumersCommand(consumers),
  'after-restore': commandOnDemand(async () => (await import('./restore/after-restore.ts')).afterRestore),
  'erase-recipient': commandOnDemand(async () => (await import('./erasure/erase-recipient.ts')).eraseRecipient),
  'export-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).exportTenant),
  'import-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).importTenant),
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  const db = await openDatabase(kit, { config, migrations })
  const redis = connectRedis(kit, config)
  const bus = await openBus(kit, config)
  const metrics = createMetrics(kit.metrics)
  const keyRing = config.ENCRYPTION_KEYS
  const signPrincipal = await createPrincipalSigner(config.SERVICE_SIGNING_KEY, 'otp')
  const wakeOutbox = createOutboxWaker(kit, bus)
  const context: Context = {
    config,
    db,
    metrics,
    wakeOutbox,
    secrets: {
      keyRing,
      blindIndex: createBlindIndex(config.BLIND_INDEX_KEY),
      fingerprint: createFingerprint(config.FINGERPRINT_KEY),
      codeProof: createCodeProof(config.FINGERPRINT_KEY),
    },
    limits: {
      velocity: createVelocity(redis, config.BLIND_INDEX_KEY.at(-1)!),
      treatmentOf: createFraudGuard(db, config, { log: kit.log, metrics }),
    },
    settingsOf: createSettingsOf(db),
    handOver: createHandOver(() => createInternalClient(config.DISPATCH_URL), { signPrincipal, keyRing }),
    tryCode: createTryCode({ db, wakeOutbox }),
  }
  const conversions = createTtlCache({
    ttlMs: conversionsKeptMs,
    maxEntries: 1,
    load: () => listConversions(db, config.FRAUD_WINDOW),
  })
  metrics.showConversion(async () =>
    (await conversions.get('all')).map(({ prefix, sent, verified }) => ({
      value: verified / sent,
      attributes: { prefix },
    })),
  )
  startOutboxRelay(kit, db, bus, { streamReplicas: config.STREAM_REPLICAS, republishMs: config.REPUBLISH_WINDOW })
  startPeriodic(kit, {
    name: 'transaction expiry',
    everyMs: 5000,
    // A batch at a time: the facts of more would delay those of other tenants.
    atLeastMs: 250,
    run: () => expireTransactions(context),
  })
  startPeriodic(kit, { name: 'transaction retention', everyMs: 60_000, run: createTransactionDeletion(db) })
  startPeriodic(kit, { name: 'idempotency retention', everyMs: 60_000, run: () => deleteExpiredKeys(db) })
  await serveHttp(kit, { config, context, routes })
  startResumption(kit, context)
  startConsumers(kit, bus, {
    context,
    consumers,
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: config.REPUBLISH_WINDOW,
  })
}
