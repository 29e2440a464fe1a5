import { readFileSync } from 'node:fs'
import { type SendingCarriers, sendingCarriers } from '@notify/carriers/sending'
import {
  createDeadLetterStore,
  createOutboxWaker,
  deadLettersCommand,
  deleteExpiredKeys,
  migrateCommand,
  openDatabase,
  type Queries,
  reindexCommand,
  rotateKeysCommand,
  startOutboxRelay,
} from '@notify/database'
import { createEgress, createHostResolver } from '@notify/egress-guard'
import { type Bus, consumersCommand, openBus, openPendingBus, type PendingBus, startConsumers } from '@notify/messaging'
import { createBlindIndex, createFingerprint } from '@notify/privacy'
import {
  type Commands,
  commandOnDemand,
  createPrincipalSigner,
  createPrincipalVerifier,
  createTenantRoom,
  followProxy,
  type Kit,
  serveHttp,
  startPeriodic,
} from '@notify/service-kit'
import { createRenderer } from '@notify/templates'
import { createAcceptOne } from './accept/accept-candidate.ts'
import { createLockWatch } from './accept/commit-judged.ts'
import { runBroadcasts } from './audiences/broadcasts/run-broadcasts.ts'
import { startAudienceRetention } from './audiences/delete-leftovers.ts'
import { runDigests } from './audiences/digests/run-digests.ts'
import { createCarrierTemplateDirectory } from './catalogue/carrier-templates/carrier-template-directory.ts'
import { startTemplateSync } from './catalogue/carrier-templates/start-template-sync.ts'
import { createConsentDirectory } from './catalogue/consents/consent-directory.ts'
import { startDomainSchedulers } from './catalogue/domains/start-domain-schedulers.ts'
import { createVerifiedDomains } from './catalogue/domains/verified-domains.ts'
import { createEventCatalogue } from './catalogue/events/event-catalogue.ts'
import { createLayoutCatalogue } from './catalogue/layouts/layout-catalogue.ts'
import { loadBootstrap } from './catalogue/load-bootstrap.ts'
import { createFrequencyDirectory } from './catalogue/preferences/frequency-directory.ts'
import { createMessageLinks } from './catalogue/preferences/message-links.ts'
import { createProviderDirectory } from './catalogue/providers/provider-directory.ts'
import { startProviderPurge } from './catalogue/providers/start-provider-purge.ts'
import { createRecipientDirectory } from './catalogue/recipients/recipient-directory.ts'
import { createTemplateCatalogue } from './catalogue/templates/template-catalogue.ts'
import { createTopicDirectory } from './catalogue/topics/topic-directory.ts'
import { type Channels, handedOverChannels } from './channels/channel.ts'
import { createFetchFile } from './channels/fetch-file.ts'
import { acceptingRoom } from './channels/file-room.ts'
import { channels as channelRegistry } from './channels/registry.ts'
import type { Config } from './config.ts'
import { type ConsumerContext, consumersOf, lanesOf, ownLanesOf } from './consumers.ts'
import { migrations } from './db/migrations.ts'
import { wakeLanes } from './deliver/find-queues.ts'
import { openSending } from './deliver/open-sending.ts'
import { createSenderWaker } from './deliver/queues/wake-senders.ts'
import { runLane } from './deliver/run-lane.ts'
import { startSchedulers } from './deliver/schedule/start-schedulers.ts'
import type { SendContext } from './deliver/send-notification.ts'
import { createTestSends } from './deliver/test-sends/create-test-sends.ts'
import { type BulkBrake, startBulkBrake } from './deliver/throttle/bulk-brake.ts'
import { createMetrics } from './metrics.ts'
import { handOffLanes } from './outcome/hand-offs/hand-off-consumers.ts'
import { createReportRecorder } from './outcome/hand-offs/record-report.ts'
import { startInquiries } from './outcome/inquiries/start-inquiries.ts'
import { createCorrelators } from './outcome/receipts/correlate-receipt.ts'
import { createReceiptRecorder } from './outcome/receipts/record-receipt.ts'
import { routes } from './routes.ts'
import { encryptedColumns } from './upkeep/encrypted-columns.ts'
import { exportBalance } from './upkeep/export-balance.ts'
import { indexedTables, requireNoBroadcasts } from './upkeep/indexed-tables.ts'
import { startRetention } from './upkeep/start-retention.ts'

export const commands: Commands<Config> = {
  migrate: migrateCommand(migrations),
  'rotate-keys': rotateKeysCommand(encryptedColumns),
  reindex: reindexCommand(indexedTables, { requireIdle: requireNoBroadcasts }),
  'dead-letters': deadLettersCommand,
  consumers: consumersCommand(consumersOf()),
  'after-restore': commandOnDemand(async () => (await import('./upkeep/after-restore.ts')).afterRestore),
  'erase-recipient': commandOnDemand(async () => (await import('./upkeep/erase-recipient.ts')).eraseRecipient),
  'export-tenant': commandOnDemand(async () => (await import('./upkeep/move-tenant.ts')).exportTenant),
  'import-tenant': commandOnDemand(async () => (await import('./upkeep/move-tenant.ts')).importTenant),
}

interface Opened {
  db: Queries
  bus: Bus | PendingBus
}

/** Replacements of the registries, for tests. */
export interface Overrides {
  channels?: Channels
  carriers?: SendingCarriers
}

/** Opens the shared resources, then those of the configured role. */
export async function createService(config: Config, kit: Kit, overrides: Overrides = {}): Promise<void> {
  followProxy(config)
  const db = await openDatabase(kit, { config, migrations })
  const bus =
    config.ROLE === 'api'
      ? await openPendingBus(kit, config)
      : await openBus(kit, config, { requiredForReady: config.ROLE === 'worker' })
  const context = await createContext(kit, config, { db, bus, ...overrides })
  if ('whenOpen' in bus) await startApi(kit, context)
  else if (config.ROLE === 'sender') await startSender(kit, context, bus)
  else await startWorker(kit, context, bus)
}

type SharedContext = Awaited<ReturnType<typeof createContext>>

/** The context that all roles have. */
async function createContext(
  kit: Kit,
  config: Config,
  { db, bus, carriers = sendingCarriers, channels = channelRegistry }: Overrides & Opened,
) {
  const signPrincipal = await createPrincipalSigner(config.SERVICE_SIGNING_KEY, 'dispatch')
  return {
    config,
    channels,
    db,
    log: kit.log,
    tracer: kit.tracer,
    carrierTable: carriers,
    metrics: createMetrics(kit.metrics),
    wakeOutbox: createOutboxWaker(kit, bus),
    wakeSenders: createSenderWaker(bus),
    secrets: {
      keyRing: config.ENCRYPTION_KEYS,
      blindIndex: createBlindIndex(config.BLIND_INDEX_KEY),
      lastingIndex: createBlindIndex(config.BLIND_INDEX_KEY[0]),
      fingerprint: createFingerprint(config.FINGERPRINT_KEY),
      verifyPrincipal: createPrincipalVerifier(config.PRINCIPAL_JWKS),
    },
    directory: {
      events: createEventCatalogue(db),
      providers: createProviderDirectory(db, config.ENCRYPTION_KEYS, carriers, kit.log),
      templates: createTemplateCatalogue(db),
      topics: createTopicDirectory(db),
      layouts: createLayoutCatalogue(db),
      domains: createVerifiedDomains(db),
      consents: createConsentDirectory(config, signPrincipal),
      carrierTemplates: createCarrierTemplateDirectory(db),
      frequencies: createFrequencyDirectory(db),
      recipients: createRecipientDirectory(db, config.ENCRYPTION_KEYS),
    },
  }
}

/** What acceptance needs: of callers' requests, and of broadcasts. */
function createAcceptContext(kit: Kit, shared: SharedContext) {
  const { config } = shared
  const resolveHost = createHostResolver()
  const egress = createEgress({
    allowed: config.ATTACHMENT_EGRESS_ALLOW,
    resolve: resolveHost,
    ca: config.ATTACHMENT_CA_FILE && readFileSync(config.ATTACHMENT_CA_FILE, 'utf8'),
  })
  kit.lifecycle.onStop('egress', () => egress.close())
  const { RENDER_THREADS: threads, RENDER_MS_PER_SECOND: msPerSecond } = config
  const context = {
    ...shared,
    watchLocks: createLockWatch(),
    links: createMessageLinks(config),
    resolveHost,
    fileRoom: createTenantRoom(acceptingRoom),
    fetchFile: createFetchFile({ egress, timeoutMs: config.ATTACHMENT_TIMEOUT }),
    renderer: createRenderer({ threads, msPerSecond, metrics: shared.metrics, log: shared.log }),
  }
  kit.lifecycle.onStop('renderer', () => context.renderer.close())
  return context
}

async function startApi(kit: Kit, shared: SharedContext): Promise<void> {
  const { config, db } = shared
  const context = createAcceptContext(kit, shared)
  if (config.BOOTSTRAP_FILE) await loadBootstrap(kit, context, config.BOOTSTRAP_FILE)
  startPeriodic(kit, { name: 'idempotency retention', everyMs: 60_000, run: () => deleteExpiredKeys(db) })
  const more = { ...createTestSends(kit, shared), acceptOne: createAcceptOne(context) }
  await serveHttp(kit, { config, context: { ...context, ...more }, routes })
}

/** Hands the messages of its lanes to carriers, and nothing else: no campaign of another lane takes its time. */
async function startSender(kit: Kit, shared: SharedContext, bus: Bus): Promise<void> {
  const context = openSending(kit, shared)
  await serveHttp(kit, { config: shared.config, context, routes: [] })
  startLanes(kit, context, bus, startBulkBrake(kit))
}

/** Sends the messages of this process's lanes. */
function startLanes(kit: Kit, context: SendContext, bus: Bus, brake: BulkBrake): void {
  const runners = ownLanesOf(context.channels, context.config).map(({ lane, settings }) =>
    runLane(kit, context, lane, settings, brake),
  )
  wakeLanes(kit, context, bus, runners)
  kit.metrics.gauge('notify_lane_utilization', 'Share of the rate of a lane that this process used', () =>
    runners.map(({ lane: { lane, channel }, utilization }) => ({
      value: utilization(),
      attributes: { lane, channel },
    })),
  )
}

async function startWorker(kit: Kit, shared: SharedContext, bus: Bus): Promise<void> {
  const { config, db } = shared
  const context = openSending(kit, shared)
  const onCommit = startOutboxRelay(kit, db, bus, {
    streamReplicas: config.STREAM_REPLICAS,
    republishMs: config.REPUBLISH_WINDOW,
  })
  await serveHttp(kit, { config, context, routes: [] })
  const handOffs = handOffLanes(context.channels)
  const consuming: ConsumerContext = {
    ...context,
    ...createCorrelators(context),
    recordReceipt: createReceiptRecorder(context),
    recordReports: new Map(
      handedOverChannels(context.channels).map(({ name }) => [name, createReportRecorder(context, name)]),
    ),
  }
  startSchedulers(kit, { ...context, onCommit }, bus, handOffs)
  exportBalance(kit, context, [...lanesOf(context.channels, config).map(({ lane }) => lane), ...handOffs])
  const brake = startBulkBrake(kit)
  startLanes(kit, context, bus, brake)
  const accepting = createAcceptContext(kit, shared)
  runBroadcasts(kit, { ...context, onCommit, acceptOne: createAcceptOne(accepting) }, brake)
  runDigests(kit, { ...accepting, onCommit })
  startDomainSchedulers(kit, { ...context, onCommit })
  startInquiries(kit, context)
  startTemplateSync(kit, { ...context, onCommit })
  startProviderPurge(kit, context)
  startRetention(kit, context)
  startAudienceRetention(kit, context)
  startConsumers(kit, bus, {
    context: consuming,
    consumers: consumersOf(context.channels),
    deadLetters: createDeadLetterStore(kit, db),
    unsyncedMs: config.REPUBLISH_WINDOW,
  })
}
