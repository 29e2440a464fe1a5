import type { OutgoingHttpHeaders } from 'node:http'
import type { Principal } from '@notify/contracts'
import type { Queries } from '@notify/database'
import type { BlindIndex, Fingerprint, KeyRing } from '@notify/privacy'
import type { InternalClient, Logger, SignPrincipal } from '@notify/service-kit'
import type { ProjectFact } from './activity/project-notification.ts'
import type { Callers } from './callers/authenticate.ts'
import type { Config } from './config.ts'
import type { Accept } from './dispatching/accept.ts'
import type { OpenExports } from './exports/open-exports.ts'
import type { Peers } from './forwarding/peers.ts'
import type { FailureLimit } from './limits/limit-failures.ts'
import type { GatewayMetrics } from './metrics.ts'
import type { CountCode } from './usage/count-codes.ts'

export interface Context {
  config: Config
  db: Queries
  log: Logger
  metrics: GatewayMetrics
  dispatch: InternalClient
  signPrincipal: SignPrincipal
  secrets: { keyRing: KeyRing; fingerprint: Fingerprint }
  /** Wakes the relay: the outbox has work. */
  wakeOutbox(): void
  /** Makes the blind indexes that find recipients by an HMAC. */
  blindIndex: BlindIndex
  /** Applies to an index the keys that it lacks: a fact may have been published before `reindex`. */
  renewIndex: BlindIndex
  /** Counts further requests of an admitted call. @returns the RateLimit headers */
  charge(principal: Principal, requests: number): OutgoingHttpHeaders
}

/** The context of routes. */
export interface RouteContext extends Context {
  peers: Peers
  accept: Accept
  exports: OpenExports
  profileOf: Callers['profileOf']
  failures: FailureLimit
}

/** The context of consumers. */
export interface ConsumerContext extends Context {
  project: ProjectFact
  countCode: CountCode
}
