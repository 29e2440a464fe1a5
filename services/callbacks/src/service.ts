import { messageReceived, preferenceChanged } from '@notify/contracts'
import {
  createDeadLetterStore,
  createOutboxWaker,
  deadLettersCommand,
  migrateCommand,
  openDatabase,
  rotateKeysCommand,
  startOutboxRelay,
} from '@notify/database'
import { consumersCommand, openBus, startConsumers } from '@notify/messaging'
import {
  type Commands,
  commandOnDemand,
  createPrincipalSigner,
  followProxy,
  type Kit,
  serveHttp,
  startPeriodic,
} from '@notify/service-kit'
import type { Config } from './config.ts'
import { consumers } from './consumers.ts'
import type { Context } from './context.ts'
import { encryptedColumns } from './db/encrypted-columns.ts'
import { migrations } from './db/migrations.ts'
import { createMetrics } from './metrics.ts'
import { createForwarding } from './moving/forward-callbacks.ts'
import { createAccountDirectory } from './providers/account-directory.ts'
import { createProviderLearning } from './providers/learn-providers.ts'
import { createReceiptRepublisher } from './receipts/republish-receipts.ts'
import { startReceivers } from './receiving/start-receivers.ts'
import { createCallbackDeletion } from './records/callback-store.ts'
import { createCallbackRecorder } from './records/record-callback.ts'
import { routes } from './routes.ts'

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
  'rotate-keys': rotateKeysCommand(encryptedColumns),
  'dead-letters': deadLettersCommand,
  consumers: consumersCommand(consumers),
  'erase-recipient': commandOnDemand(async () => (await import('./erasure/erase-recipient.ts')).eraseRecipient),
  'export-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).exportTenant),
  'import-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).importTenant),
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  followProxy(config)
  const db = await openDatabase(kit, { config, migrations })
  const bus = await openBus(kit, config)
  const shared = { db, metrics: createMetrics(kit.metrics), wakeOutbox: createOutboxWaker(kit, bus) }
  const receiving = {
    accounts: createAccountDirectory(db, config.ENCRYPTION_KEYS, kit.log),
    stateOf: startReceivers(config, kit.log),
  }
  const saving = { db, keyRing: config.ENCRYPTION_KEYS, log: kit.log, receiving }
  const signPrincipal = await createPrincipalSigner(config.SERVICE_SIGNING_KEY, 'callbacks')
  const context: Context = {
    ...shared,
    ...saving,
    config,
    forwarding: createForwarding(kit, db, config),
    learnProviders: createProviderLearning(saving, config, signPrincipal),
    record: createCallbackRecorder(shared),
    republishReceipts: createReceiptRepublisher(shared),
  }
  startOutboxRelay(kit, db, bus, {
    streamReplicas: config.STREAM_REPLICAS,
    republishMs: config.REPUBLISH_WINDOW,
    // A STOP does not wait behind receipts, of which thousands may be queued after an outage of NATS.
    urgentSubjects: [messageReceived.subject, preferenceChanged.subject],
    // What a killed replica committed and did not announce still counts within 3 s.
    pollMs: 2000,
  })
  startPeriodic(kit, { name: 'callback retention', everyMs: 60_000, run: createCallbackDeletion(db) })
  await serveHttp(kit, { config, context, routes, door: { edge: true } })
  startConsumers(kit, bus, {
    context,
    consumers,
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: config.REPUBLISH_WINDOW,
  })
}
