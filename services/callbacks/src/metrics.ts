import { Channel } from '@notify/contracts'
import type { Metrics } from '@notify/service-kit'

const results = ['recorded', 'repeated', 'ignored', 'refused'] as const

export type CallbackMetrics = ReturnType<typeof createMetrics>

/** The business counters of callbacks, one function each. */
export function createMetrics(metrics: Metrics) {
  const received = metrics.counter('callbacks_received_total', 'Carrier callbacks by channel and result', {
    channel: Channel.options,
    result: results,
  })
  const republished = metrics.counter(
    'callbacks_receipts_republished_total',
    'Receipts published again at the request of dispatch',
  )
  return {
    republished: (count: number) => republished({}, count),
    received: (channel: string, result: (typeof results)[number]) => received({ channel, result }),
  }
}
