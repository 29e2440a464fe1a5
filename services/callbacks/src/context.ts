import type { Database } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Logger, Tracer } from '@notify/service-kit'
import type { Config } from './config.ts'
import type { Tables } from './db/schema.ts'
import type { CallbackMetrics } from './metrics.ts'
import type { SmsProviders } from './providers/sms-providers.ts'

export interface Context {
  config: Config
  db: Database<Tables>
  keyRing: KeyRing
  log: Logger
  tracer: Tracer
  metrics: CallbackMetrics
  smsProviders: SmsProviders
  /** Tells the relay that the outbox has work. */
  wakeOutbox(): void
}
