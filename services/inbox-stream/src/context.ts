import type { Queries } from '@notify/database'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { Logger } from '@notify/service-kit'
import type { Config } from './config.ts'
import type { StoreHandOff } from './hand-offs/store-hand-off.ts'
import type { CountWrite } from './inbox/limit-writes.ts'
import type { InboxMetrics } from './metrics.ts'
import type { PreferencesOfUsers } from './preferences/preferences-of-users.ts'
import type { Hub } from './streams/hub.ts'
import type { LiveBus } from './streams/live-bus.ts'
import type { UserTokens } from './tokens/user-token.ts'

/** Changes inboxes and publishes the changes. */
export interface StoreContext {
  config: Config
  db: Queries
  log: Logger
  secrets: { keyRing: KeyRing; blindIndex: BlindIndex; fingerprint: Fingerprint }
  metrics: InboxMetrics
  live: LiveBus
  /** Wakes the relay: the outbox has work. */
  wakeOutbox(): void
}

/** The further dependencies of routes. */
export interface Context extends StoreContext {
  tokens: UserTokens
  preferences: PreferencesOfUsers
  hub: Hub
  countWrite: CountWrite
}

/** The further dependencies of consumers. */
export interface ConsumerContext extends StoreContext {
  storeHandOff: StoreHandOff
}
