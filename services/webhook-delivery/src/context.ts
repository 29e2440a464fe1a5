import type { Queries } from '@notify/database'
import type { Egress } from '@notify/egress-guard'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { AskWish, InternalClient, Logger } from '@notify/service-kit'
import type { Config } from './config.ts'
import type { StoreDeliveries } from './deliveries/insert-deliveries.ts'
import type { FanOut } from './facts/fan-out.ts'
import type { Postpone } from './facts/postponed/postpone.ts'
import type { Unreported } from './hand-offs/report-sent.ts'
import type { StoreHandOff } from './hand-offs/store-hand-off.ts'
import type { WebhookMetrics } from './metrics.ts'

export interface Context {
  config: Config
  db: Queries
  log: Logger
  metrics: WebhookMetrics
  /** `renewIndex` applies to an index the keys that it lacks: a fact may have been published before `reindex`. */
  secrets: { keyRing: KeyRing; fingerprint: Fingerprint; renewIndex: BlindIndex }
  egress: Egress
  dispatch: InternalClient
  /** Wakes the relay: the outbox has work. */
  wakeOutbox(): void
  /** Wakes the workers of this process: deliveries are due. */
  wakeEndpoints(): void
  /** Starts the removal of the deliveries of deleted subscriptions. */
  wakeRemoval(): void
  unreported: Unreported
  askWish: AskWish
}

/** What the consumers work with besides: what gathers events of the same moment is made once. */
export interface ConsumerContext extends Context {
  fanOut: FanOut
  storeHandOff: StoreHandOff
  storeDeliveries: StoreDeliveries
  postpone: Postpone
}
