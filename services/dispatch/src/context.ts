import type { SendingCarriers } from '@notify/carriers/sending'
import type { Queries, WakeOutbox } from '@notify/database'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { Logger, Tracer, VerifyPrincipal } from '@notify/service-kit'
import type { Channels } from './channels/channel.ts'
import type { Config } from './config.ts'
import type { DispatchMetrics } from './metrics.ts'

/** What every role has. A feature that needs another one declares it beside this. */
export interface Context {
  config: Config
  channels: Channels
  db: Queries
  log: Logger
  tracer: Tracer
  /** The supported kinds of carriers. */
  carrierTable: SendingCarriers
  metrics: DispatchMetrics
  /** Wakes the outbox relay. */
  wakeOutbox: WakeOutbox
  secrets: {
    keyRing: KeyRing
    blindIndex: BlindIndex
    /** Under the first key alone: it stays when keys are added. Only for what a fingerprint is made of. */
    lastingIndex: BlindIndex
    fingerprint: Fingerprint
    verifyPrincipal: VerifyPrincipal
  }
}
