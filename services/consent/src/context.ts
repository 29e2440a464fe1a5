import type { Queries } from '@notify/database'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { Logger } from '@notify/service-kit'
import type { ConsentMetrics } from './metrics.ts'

export interface Context {
  db: Queries
  log: Logger
  metrics: ConsentMetrics
  secrets: { keyRing: KeyRing; blindIndex: BlindIndex; fingerprint: Fingerprint }
  /** Wakes the relay: the outbox has work. */
  wakeOutbox(): void
}
