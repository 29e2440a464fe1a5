import type { SendingCarriers } from '@notify/carriers/sending'
import type { Channel } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { HostResolver } from '@notify/egress-guard'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { Logger, Tracer, VerifyPrincipal } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import type { AcceptOne } from './accept/accept-candidate.ts'
import type { WatchLocks } from './accept/commit-judged.ts'
import type { CarrierTemplateDirectory } from './catalogue/carrier-templates/carrier-template-directory.ts'
import type { ConsentDirectory } from './catalogue/consents/consent-directory.ts'
import type { VerifiedDomains } from './catalogue/domains/verified-domains.ts'
import type { EventCatalogue } from './catalogue/events/event-catalogue.ts'
import type { ProviderDirectory } from './catalogue/providers/provider-directory.ts'
import type { TemplateCatalogue } from './catalogue/templates/template-catalogue.ts'
import type { Channels } from './channels/channel.ts'
import type { Config } from './config.ts'
import type { Tables } from './db/schema.ts'
import type { GuardedCarriers } from './deliver/call/circuit-breaker.ts'
import type { WakeSenders } from './deliver/queues/wake-senders.ts'
import type { SentAttempts } from './deliver/settle/sent-attempts.ts'
import type { DispatchMetrics } from './metrics.ts'
import type { RecordReport } from './outcome/hand-offs/record-report.ts'
import type { RecordReceipt } from './outcome/receipts/record-receipt.ts'

/** The context of both roles. */
export interface Context {
  config: Config
  channels: Channels
  db: Database<Tables>
  log: Logger
  tracer: Tracer
  /** The supported kinds of carriers. */
  carrierTable: SendingCarriers
  metrics: DispatchMetrics
  /** Wakes the outbox relay. */
  wakeOutbox(): void
  wakeSenders: WakeSenders
  secrets: { keyRing: KeyRing; blindIndex: BlindIndex; fingerprint: Fingerprint; verifyPrincipal: VerifyPrincipal }
  directory: {
    events: EventCatalogue
    providers: ProviderDirectory
    templates: TemplateCatalogue
    domains: VerifiedDomains
    consents: ConsentDirectory
    carrierTemplates: CarrierTemplateDirectory
  }
}

/** The context of the API. */
export interface ApiContext extends Context {
  watchLocks: WatchLocks
  renderer: Renderer
  /** Looks up hosts that tenants name. */
  resolveHost: HostResolver
}

/** The context of the API's routes. */
export interface RouteContext extends ApiContext {
  acceptOne: AcceptOne
}

/** The context of the worker. */
export interface WorkerContext extends Context {
  carriers: GuardedCarriers
  sentAttempts: SentAttempts
}

/** The context of all consumers. */
export interface ConsumerContext extends WorkerContext {
  recordReceipt: RecordReceipt
  /** By channels that other services deliver. */
  recordReports: ReadonlyMap<Channel, RecordReport>
}
