import type { Queries } from '@notify/database'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { SettingsOf } from './applications/create-settings-of.ts'
import type { CodeProof } from './codes/code-proof.ts'
import type { Config } from './config.ts'
import type { Velocity } from './limits/create-velocity.ts'
import type { TreatmentOf } from './limits/fraud-guard.ts'
import type { HandOver } from './messages/hand-over.ts'
import type { OtpMetrics } from './metrics.ts'
import type { TryCode } from './transactions/try-codes.ts'

/** Shared by handlers, consumers and schedulers. */
export interface Context {
  config: Config
  db: Queries
  metrics: OtpMetrics
  wakeOutbox(): void
  secrets: { keyRing: KeyRing; blindIndex: BlindIndex; fingerprint: Fingerprint; codeProof: CodeProof }
  limits: { velocity: Velocity; treatmentOf: TreatmentOf }
  settingsOf: SettingsOf
  handOver: HandOver
  tryCode: TryCode
}
