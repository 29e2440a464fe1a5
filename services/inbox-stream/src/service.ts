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
  createWishQuestion,
  type Kit,
  serveHttp,
  startPeriodic,
} from '@notify/service-kit'
import { createAccess } from './applications/access.ts'
import { createCors, mountPreflights } from './applications/cors.ts'
import { loadBootstrap } from './applications/load-bootstrap.ts'
import type { Config } from './config.ts'
import { consumers } from './consumers.ts'
import type { StoreContext } from './context.ts'
import { encryptedColumns } from './db/encrypted-columns.ts'
import { indexedTables } from './db/indexed-tables.ts'
import { migrations } from './db/migrations.ts'
import { createHandOffStore } from './hand-offs/store-hand-off.ts'
import { deleteExpired } from './inbox/delete-expired.ts'
import { createWriteLimit } from './inbox/limit-writes.ts'
import { createMetrics } from './metrics.ts'
import { createPreferencesOfUsers } from './preferences/preferences-of-users.ts'
import { routes } from './routes.ts'
import { createHub } from './streams/hub.ts'
import { createLiveBus } from './streams/live-bus.ts'
import { createUserAuthentication } from './tokens/authenticate-user.ts'
import { createUserTokens } from './tokens/user-token.ts'

/** The memory of an idle stream. */
const bytesPerStream = 24 * 1024

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
  const context: StoreContext = {
    config,
    db,
    log: kit.log,
    secrets: {
      keyRing: config.ENCRYPTION_KEYS,
      blindIndex: createBlindIndex(config.BLIND_INDEX_KEY),
      fingerprint: createFingerprint(config.FINGERPRINT_KEY),
    },
    metrics: createMetrics(kit.metrics),
    live: createLiveBus(kit, bus),
    wakeOutbox: createOutboxWaker(kit, bus),
  }
  if (config.BOOTSTRAP_FILE) await loadBootstrap(kit, db, config.BOOTSTRAP_FILE)
  startOutboxRelay(kit, db, bus, { streamReplicas: config.STREAM_REPLICAS, republishMs: config.REPUBLISH_WINDOW })
  startPeriodic(kit, { name: 'idempotency retention', everyMs: 60_000, run: () => deleteExpiredKeys(db) })
  startPeriodic(kit, {
    name: 'inbox retention',
    everyMs: 60_000,
    run: () => deleteExpired(db, config.INBOX_RETENTION),
  })
  await serveUsers(kit, context)
  const askWish = await createWishQuestion('inbox-stream', config)
  startConsumers(kit, bus, {
    context: { ...context, storeHandOff: createHandOffStore({ ...context, askWish }) },
    consumers,
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: config.REPUBLISH_WINDOW,
  })
}

async function serveUsers(kit: Kit, context: StoreContext): Promise<void> {
  const { config, db } = context
  const preferences = await createPreferencesOfUsers(config)
  const tokens = await createUserTokens(config.USER_TOKEN_KEYS, { cell: config.CELL, cells: config.CELLS })
  const access = createAccess(db)
  const cors = createCors(access)
  await serveHttp(kit, {
    config,
    context: {
      ...context,
      tokens,
      preferences,
      hub: createHub(kit, context),
      countWrite: createWriteLimit(config.USER_CHANGES_PER_SECOND),
    },
    routes,
    streams: { maxBytes: config.STREAM_MEMORY, bytesEach: bytesPerStream },
    door: { edge: true, authenticateUser: createUserAuthentication(tokens, access, config.CELLS), corsOf: cors },
    extend(app, door) {
      const contracts = routes.map(({ contract }) => contract)
      mountPreflights(app, door, contracts, cors)
    },
  })
}
