import type { Database } from '@notify/database'
import type { KeyRing } from '@notify/privacy'
import type { Logger } from '@notify/service-kit'
import type { Config } from './config.ts'
import type { Tables } from './db/schema.ts'
import type { CallbackMetrics } from './metrics.ts'
import type { EmailProviders } from './providers/email-providers.ts'
import type { SmsProviders } from './providers/sms-providers.ts'
import type { TellReceiptsAgain } from './receipts/tell-receipts-again.ts'
import type { RecordCallback } from './records/record-callback.ts'
import type { Certificates } from './sns/certificates.ts'

export interface Context {
  config: Config
  db: Database<Tables>
  keyRing: KeyRing
  log: Logger
  metrics: CallbackMetrics
  /** What signatures are verified with. */
  directory: { sms: SmsProviders; email: EmailProviders; certificates: Certificates }
  /** Tells the relay that the outbox has work. */
  wakeOutbox(): void
  record: RecordCallback
  tellAgain: TellReceiptsAgain
}
