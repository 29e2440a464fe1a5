import type { Metrics } from '@notify/service-kit'
import { createRefusalCount } from './limits/count-refusals.ts'

const limitScopes = ['key', 'tenant', 'address'] as const

export type GatewayMetrics = ReturnType<typeof createMetrics>

/** The business counters of the gateway, one function each. */
export function createMetrics(metrics: Metrics) {
  const limited = metrics.counter('gateway_rate_limited_total', 'Requests refused by a rate limit, by its scope', {
    scope: limitScopes,
  })
  const refusals = createRefusalCount()
  metrics.total(
    'gateway_tenant_rate_limited_total',
    'Requests refused by a rate limit, by tenant; `other` is all but the tenants refused last',
    refusals.readings,
  )
  const repeated = metrics.counter('gateway_accept_calls_repeated_total', 'Repeated accept calls to dispatch')
  const projected = metrics.counter('gateway_activity_projected_total', 'Changes written to the activity')
  const repaired = metrics.counter(
    'gateway_activity_repaired_total',
    'Changes fetched from dispatch because the bus did not deliver them',
  )
  const retried = metrics.counter('gateway_activity_retried_total', 'Items that jobs have retried')
  return {
    measureExports: (count: () => number) =>
      metrics.gauge('gateway_activity_exports_open', 'Exports of the activity and the audit log under way', count),
    retried: (count: number) => retried({}, count),
    repaired: (count: number) => repaired({}, count),
    rateLimited: (scope: (typeof limitScopes)[number]) => limited({ scope }),
    tenantRefused: refusals.count,
    acceptRepeated: () => repeated(),
    projected: (count: number) => projected({}, count),
  }
}
