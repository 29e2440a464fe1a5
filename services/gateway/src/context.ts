import type { Principal } from '@notify/contracts'
import type { Database } from '@notify/database'
import type { InternalClient, Logger, SignPrincipal } from '@notify/service-kit'
import type { Config } from './config.ts'
import type { Tables } from './db/schema.ts'
import type { GatewayMetrics } from './metrics.ts'

export interface Context {
  config: Config
  db: Database<Tables>
  log: Logger
  metrics: GatewayMetrics
  dispatch: InternalClient
  signPrincipal: SignPrincipal
  /** Counts further requests of a caller against its limits. @throws Problem `rate_limited` */
  charge(principal: Principal, requests: number): void
}
