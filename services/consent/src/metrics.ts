import type { ConsentAction } from '@notify/contracts'
import type { Metrics } from '@notify/service-kit'

export type ConsentMetrics = ReturnType<typeof createMetrics>

/** The business counters of consent, one function each. */
export function createMetrics(metrics: Metrics) {
  const changes = metrics.counter('consent_entries_total', 'Entries of the ledger by action and source', 'open')
  const checks = metrics.counter('consent_checks_total', 'Numbers whose consent was asked for')
  return {
    changed: (action: ConsentAction, source: string) => changes({ action, source }),
    checked: (count: number) => checks({}, count),
  }
}
