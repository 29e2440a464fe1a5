import type { ServiceName } from '@notify/contracts'
import { publicRoutes } from '@notify/contracts/catalogue'
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
import { consumersCommand, openPendingBus, startConsumers } from '@notify/messaging'
import { createBlindIndex, createFingerprint, createIndexRenewal } from '@notify/privacy'
import {
  type Commands,
  commandOnDemand,
  connectRedis,
  createAddressOf,
  createPrincipalSigner,
  followProxy,
  type Kit,
  serveHttp,
  startPeriodic,
} from '@notify/service-kit'
import { createProjector } from './activity/project-notification.ts'
import { startReconciliation } from './activity/reconcile-activity.ts'
import { startActivityUpkeep } from './activity/start-upkeep.ts'
import { createTenantCommand } from './bootstrap/create-tenant.ts'
import { loadBootstrap } from './bootstrap/load-bootstrap.ts'
import { createCallers } from './callers/authenticate.ts'
import { type Config, peerUrl } from './config.ts'
import { serveConsole } from './console/serve-console.ts'
import { consumers } from './consumers.ts'
import type { Context } from './context.ts'
import { encryptedColumns } from './db/encrypted-columns.ts'
import { indexedTables } from './db/indexed-tables.ts'
import { migrations } from './db/migrations.ts'
import { createAcceptance } from './dispatching/accept.ts'
import { serveDocs } from './docs/serve-docs.ts'
import { createOpenExports } from './exports/open-exports.ts'
import { largestBody, passThrough } from './forwarding/pass-through.ts'
import { passUsers } from './forwarding/pass-users.ts'
import { createPeers } from './forwarding/peers.ts'
import { createAdmission } from './limits/admit.ts'
import { createFailureLimit } from './limits/limit-failures.ts'
import { limitKeyOf } from './limits/limit-key.ts'
import { createRefusalReport } from './limits/report-refusals.ts'
import { weightOf } from './limits/weight.ts'
import { createMetrics } from './metrics.ts'
import { createRememberOperator } from './operators/remember-operator.ts'
import { recordRequests } from './requests/record-requests.ts'
import { startRetries } from './retries/run-retries.ts'
import { routes } from './routes.ts'
import { chargesKeptMs, createCodeCounter } from './usage/count-codes.ts'
import { exportUsage } from './usage/export-usage.ts'
import { createChargeDeletion } from './usage/usage-store.ts'

/** Callers get a response within 8 s, even if internal services are silent. */
const answerWithinMs = 7500
/** The provider that a callback names in its path or query, or the shared app: tenants share the addresses of a carrier. */
const subjectOf = (url: string) => /prov_[0-9a-z]{26}|\/cloud\/shared/.exec(url)?.[0]
/** A refused callback may not come from a carrier. */
const isFailure = (status: number) => status >= 400 && status < 500

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
  'rotate-keys': rotateKeysCommand(encryptedColumns),
  reindex: reindexCommand(indexedTables),
  'create-tenant': createTenantCommand,
  'dead-letters': deadLettersCommand,
  consumers: consumersCommand(consumers),
  'after-restore': commandOnDemand(async () => (await import('./retries/after-restore.ts')).afterRestore),
  'erase-recipient': commandOnDemand(async () => (await import('./erasure/erase-recipient.ts')).eraseRecipient),
  'export-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).exportTenant),
  'import-tenant': commandOnDemand(async () => (await import('./moving/move-tenant.ts')).importTenant),
}

export async function createService(config: Config, kit: Kit): Promise<void> {
  followProxy(config)
  const db = await openDatabase(kit, { config, migrations })
  const redis = connectRedis(kit, config)
  const bus = await openPendingBus(kit, config)
  const metrics = createMetrics(kit.metrics)
  const addressOf = createAddressOf(config.TRUSTED_PROXIES)
  const limitKey = limitKeyOf(config.BLIND_INDEX_KEY.at(-1)!)
  const failures = createFailureLimit(redis, metrics, limitKey, config.RATE_LIMIT_ADDRESS_PER_SECOND)
  const rememberOperator = createRememberOperator(db, config.ENCRYPTION_KEYS, kit.log)
  const callers = createCallers(db, config, { addressOf, failures, rememberOperator })
  const { admit, charge } = createAdmission(redis, {
    metrics,
    keyOf: limitKey,
    reportRefusal: createRefusalReport(kit.log),
  })
  const peers = createPeers(config)
  const context: Context = {
    config,
    db,
    log: kit.log,
    metrics,
    dispatch: peers('dispatch'),
    secrets: { keyRing: config.ENCRYPTION_KEYS, fingerprint: createFingerprint(config.FINGERPRINT_KEY) },
    wakeOutbox: createOutboxWaker(kit, bus),
    blindIndex: createBlindIndex(config.BLIND_INDEX_KEY),
    renewIndex: createIndexRenewal(config.BLIND_INDEX_KEY),
    signPrincipal: await createPrincipalSigner(config.PRINCIPAL_SIGNING_KEY),
    charge: (principal, requests) => charge(callers.limitsOf(principal), requests),
  }
  if (config.BOOTSTRAP_FILE) await loadBootstrap(kit, context, config.BOOTSTRAP_FILE)
  const { STREAM_REPLICAS: streamReplicas, REPUBLISH_WINDOW: republishMs } = config
  let stirRetries = () => {}
  bus.whenOpen((open) => {
    const onCommit = startOutboxRelay(kit, db, open, { streamReplicas, republishMs })
    onCommit(() => stirRetries())
  })
  startPeriodic(kit, { name: 'idempotency retention', everyMs: 60_000, run: () => deleteExpiredKeys(db) })
  const deleteCharges = createChargeDeletion(db)
  startPeriodic(kit, { name: 'usage retention', everyMs: 60_000, run: () => deleteCharges(chargesKeptMs) })
  exportUsage(kit, context)
  const docs = await serveDocs()
  const exports = createOpenExports()
  metrics.measureExports(exports.count)
  await serveHttp(kit, {
    config,
    context: {
      ...context,
      peers,
      accept: createAcceptance(context),
      exports,
      profileOf: callers.profileOf,
      failures,
    },
    routes,
    streams: { maxBytes: config.STREAM_MEMORY },
    door: {
      edge: true,
      samplesItself: true,
      answerWithinMs,
      ...recordRequests(kit, { db, config, callers }),
      admit: (principal, bodyBytes) => admit(callers.limitsOf(principal), weightOf(bodyBytes)),
      charge: (principal, bodyBytes) => charge(callers.limitsOf(principal), weightOf(bodyBytes) - 1),
    },
    extend(app, door) {
      const maxBodyBytes = largestBody(publicRoutes().filter(({ auth }) => auth.caller === 'carrier'))
      // Callbacks are recorded together, and wait for that. Carriers repeat them themselves.
      const size = { most: 512, mostOfTenant: 192 }
      const answering = { addressOf, subjectOf, failures, isFailure, ofPages: false, idempotent: true }
      const callbacks = { url: config.CALLBACKS_URL, size, maxBodyBytes, ...answering }
      app.use('/api/v1/callbacks', passThrough(door, callbacks))
      const urlOf = (service: ServiceName) => peerUrl(config, service)
      passUsers(app, door, { contracts: publicRoutes(), urlOf, addressOf, failures })
      docs(app, door)
      serveConsole(app, door, config)
    },
  })
  const consuming = {
    context: { ...context, project: createProjector(context), countCode: createCodeCounter(context) },
    consumers,
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: republishMs,
  }
  bus.whenOpen((open) => startConsumers(kit, open, consuming))
  startReconciliation(kit, context)
  startActivityUpkeep(kit, context)
  const retries = startRetries(kit, context)
  stirRetries = () => retries.stir()
}
