import type { Metrics } from '@notify/service-kit'

export type GatewayMetrics = ReturnType<typeof createMetrics>

/** The business counters of the gateway, one function each. */
export function createMetrics(metrics: Metrics) {
  const limited = metrics.counter('gateway_rate_limited_total', 'Requests refused by a rate limit, by its scope')
  const repeated = metrics.counter('gateway_accept_calls_repeated_total', 'Repeated accept calls to dispatch')
  const projected = metrics.counter('gateway_activity_projected_total', 'Changes written to the activity')
  const repaired = metrics.counter(
    'gateway_activity_repaired_total',
    'Changes fetched from dispatch because the bus did not deliver them',
  )
  return {
    repaired: (count: number) => repaired({}, count),
    rateLimited: (scope: 'key' | 'tenant' | 'address') => limited({ scope }),
    acceptRepeated: () => repeated(),
    projected: (count: number) => projected({}, count),
  }
}
