import { readFileSync } from 'node:fs'
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
import { createEgress, createHostResolver } from '@notify/egress-guard'
import { consumersCommand, openBus, startConsumers } from '@notify/messaging'
import { createFingerprint, createIndexRenewal } from '@notify/privacy'
import {
  type Commands,
  commandOnDemand,
  createInternalClient,
  createWishQuestion,
  type Kit,
  serveHttp,
  startPeriodic,
} from '@notify/service-kit'
import type { Config } from './config.ts'
import { consumers } from './consumers.ts'
import type { Context } from './context.ts'
import { encryptedColumns } from './db/encrypted-columns.ts'
import { indexedTables } from './db/indexed-tables.ts'
import { migrations } from './db/migrations.ts'
import { createDeliveryDeletion, deleteOrphans } from './deliveries/delete-old.ts'
import { createDeliveryStore } from './deliveries/store-deliveries.ts'
import { endpointsOverdueSeconds } from './endpoints/claim-endpoints.ts'
import { startEndpoints } from './endpoints/start-endpoints.ts'
import { watchOthers } from './endpoints/watch-others.ts'
import { createFanOut } from './facts/fan-out.ts'
import { fanOutsDueInMs } from './facts/postponed/look-due.ts'
import { createPostpone } from './facts/postponed/postpone.ts'
import { storePostponed } from './facts/postponed/store-postponed.ts'
import { startSentReports } from './hand-offs/report-sent.ts'
import { createHandOffStore } from './hand-offs/store-hand-off.ts'
import { createMetrics } from './metrics.ts'
import { giveUpReserved } from './providers/give-up-reserved.ts'
import { replayPages, replaysDueInMs } from './replays/replay-pages.ts'
import { routes } from './routes.ts'

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
  const bus = await openBus(kit, config)
  const egress = createEgress({
    allowed: config.WEBHOOK_EGRESS_ALLOW,
    resolve: createHostResolver({ servers: config.DNS_SERVERS }),
    ca: config.WEBHOOK_CA_FILE && readFileSync(config.WEBHOOK_CA_FILE, 'utf8'),
  })
  kit.lifecycle.onStop('egress', () => egress.close())
  let wakeWorkers = () => {}
  let wakeRemoval = () => {}
  const wakeOutbox = createOutboxWaker(kit, bus)
  const onCommit = startOutboxRelay(kit, db, bus, {
    streamReplicas: config.STREAM_REPLICAS,
    republishMs: config.REPUBLISH_WINDOW,
  })
  const context: Context = {
    config,
    db,
    log: kit.log,
    metrics: createMetrics(kit.metrics),
    secrets: {
      keyRing: config.ENCRYPTION_KEYS,
      fingerprint: createFingerprint(config.FINGERPRINT_KEY),
      renewIndex: config.BLIND_INDEX_KEY ? createIndexRenewal(config.BLIND_INDEX_KEY) : (_tenantId, index) => index,
    },
    egress,
    dispatch: createInternalClient(config.DISPATCH_URL),
    wakeOutbox,
    wakeEndpoints: () => wakeWorkers(),
    wakeRemoval: () => wakeRemoval(),
    unreported: startSentReports(kit, { db, wakeOutbox }),
    askWish: await createWishQuestion('webhook-delivery', config),
  }
  context.metrics.showOverdue(() => endpointsOverdueSeconds(db.run))
  wakeRemoval = startRetention(kit, context)
  const others = watchOthers(kit, bus)
  const desk = startEndpoints(kit, context, others.tell)
  others.listen(desk.look)
  wakeWorkers = desk.wake
  const replays = startPeriodic(kit, {
    name: 'replays',
    everyMs: 5000,
    atLeastMs: 500,
    async run() {
      const dueInMs = await replaysDueInMs(db)
      if (dueInMs > 0) return dueInMs
      if ((await replayPages(context, config.WEBHOOK_REPLAY_RATE)) > 0) wakeWorkers()
      return 0
    },
  })
  onCommit(() => replays.stir())
  startPeriodic(kit, {
    name: 'reserved providers',
    everyMs: 10_000,
    run: () => giveUpReserved(context),
  })
  await serveHttp(kit, { config, context, routes })
  const storing = { ...context, storeDeliveries: createDeliveryStore(context, desk) }
  const postponed = startPeriodic(kit, {
    name: 'postponed events',
    everyMs: 15_000,
    atLeastMs: 250,
    async run(woken) {
      if (!woken) {
        const dueInMs = await fanOutsDueInMs(db.run)
        if (dueInMs > 0) return dueInMs
      }
      return (await storePostponed(storing)) || fanOutsDueInMs(db.run)
    },
  })
  const postpone = createPostpone(context, postponed.wake)
  const fanOut = createFanOut({ ...storing, postpone })
  startConsumers(kit, bus, {
    context: { ...storing, postpone, fanOut, storeHandOff: createHandOffStore(storing) },
    consumers,
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: config.REPUBLISH_WINDOW,
  })
}

/** @returns wakes the removal of what deleted subscriptions leave */
function startRetention(kit: Kit, { config, db }: Pick<Context, 'config' | 'db'>): () => void {
  const everyMs = 60_000
  startPeriodic(kit, { name: 'idempotency retention', everyMs, run: () => deleteExpiredKeys(db) })
  const deleteOldDeliveries = createDeliveryDeletion(db)
  startPeriodic(kit, {
    name: 'delivery retention',
    everyMs,
    run: () => deleteOldDeliveries(config.WEBHOOK_RETENTION),
  })
  const removal = startPeriodic(kit, { name: 'orphan removal', everyMs, run: () => deleteOrphans(db) })
  return () => removal.wake()
}
