import type { Queries } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Logger } from '@notify/service-kit'
import type { Config } from './config.ts'
import type { CallbackMetrics } from './metrics.ts'
import type { Forwarding } from './moving/forward-callbacks.ts'
import type { AccountDirectory } from './providers/account-directory.ts'
import type { LearnProviders } from './providers/learn-providers.ts'
import type { RepublishReceipts } from './receipts/republish-receipts.ts'
import type { RecordCallback } from './records/record-callback.ts'

export interface Context {
  config: Config
  db: Queries
  keyRing: KeyRing
  log: Logger
  metrics: CallbackMetrics
  /** The accounts, and the state of each kind's receiver. */
  receiving: { accounts: AccountDirectory; stateOf(kind: string, cell?: string): never }
  forwarding: Forwarding
  learnProviders: LearnProviders
  /** Wakes the outbox relay. */
  wakeOutbox(): void
  record: RecordCallback
  republishReceipts: RepublishReceipts
}
