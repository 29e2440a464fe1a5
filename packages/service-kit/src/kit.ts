import type { ServiceName } from '@notify/contracts'
import type { Health } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Tracer } from './telemetry/tracing.ts'

/** The resources that every service gets when it is created. */
export interface Kit {
  service: ServiceName
  log: Logger
  lifecycle: Lifecycle
  health: Health
  metrics: Metrics
  tracer: Tracer
}
