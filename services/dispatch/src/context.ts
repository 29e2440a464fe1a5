import type { SendingCarriers } from '@notify/carriers/sending'
import type { Channel } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { Logger, Tracer, VerifyPrincipal } from '@notify/service-kit'
import type { Acceptance } from './accept/accept-notifications.ts'
import type { AcceptOne } from './accept/accept-one.ts'
import type { CarrierTemplateDirectory } from './carrier-templates/carrier-template-directory.ts'
import type { GuardedCarriers } from './carriers/circuit-breaker.ts'
import type { Channels } from './channels/channel.ts'
import type { Config } from './config.ts'
import type { ConsentDirectory } from './consents/consent-directory.ts'
import type { Tables } from './db/schema.ts'
import type { VerifiedDomains } from './domains/verified-domains.ts'
import type { EventCatalogue } from './events/event-catalogue.ts'
import type { RecordReport } from './hand-offs/record-report.ts'
import type { DispatchMetrics } from './metrics.ts'
import type { ProviderDirectory } from './providers/provider-directory.ts'
import type { RecordReceipt } from './receipts/record-receipt.ts'
import type { Renderer } from './rendering/create-renderer.ts'
import type { SendWork } from './sending/send-notification.ts'
import type { SentAttempts } from './sending/sent-attempts.ts'
import type { TemplateCatalogue } from './templates/template-catalogue.ts'

/** What handlers of both roles work with. */
export interface Context {
  config: Config
  channels: Channels
  db: Database<Tables>
  log: Logger
  tracer: Tracer
  /** The kinds of carriers that providers may be of. */
  carrierTable: SendingCarriers
  metrics: DispatchMetrics
  /** Tells the relay that the outbox has work. */
  wakeOutbox(): void
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

/** What the API works with besides. */
export interface ApiContext extends Context {
  renderer: Renderer
}

/** What the routes of the API work with: what gathers calls of the same moment is made once. */
export interface RouteContext extends ApiContext {
  accept: Acceptance
  acceptOne: AcceptOne
}

/** What the worker works with besides. */
export interface WorkerContext extends Context {
  carriers: GuardedCarriers
  sentAttempts: SentAttempts
}

/** What the consumers work with: each lane of each channel has a sender of its own. */
export interface ConsumerContext extends WorkerContext {
  /** By the durable of the lane. */
  senders: ReadonlyMap<string, SendWork>
  recordReceipt: RecordReceipt
  /** By the channel that another service delivers. */
  recordReports: ReadonlyMap<Channel, RecordReport>
}
