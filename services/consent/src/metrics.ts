import { ConsentAction, OptInSource } from '@notify/contracts'
import type { Metrics } from '@notify/service-kit'

/** What a recipient does by a message, and what the carrier reports of it. */
const ofRecipients = ['reply', 'button', 'preference', 'carrier']

export type ConsentMetrics = ReturnType<typeof createMetrics>

/** The business counters of consent, one function each. */
export function createMetrics(metrics: Metrics) {
  const changes = metrics.counter('consent_entries_total', 'Entries of the ledger by action and source', [
    { action: ['opt_in'], source: [...OptInSource.options, ...ofRecipients] },
    { action: ConsentAction.exclude(['opt_in']).options, source: [...ofRecipients, 'request'] },
  ])
  const checks = metrics.counter('consent_checks_total', 'Numbers whose consent was asked for')
  return {
    changed: (action: ConsentAction, source: string) => changes({ action, source }),
    checked: (count: number) => checks({}, count),
  }
}
