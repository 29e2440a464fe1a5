import type { Metrics } from '@notify/service-kit'

const sources = ['fact', 'hand-off', 'test'] as const
/** `held`: postponed without counting as an attempt. `cancelled`: not sent, because its recipient has switched it off, or may have. */
const outcomes = ['succeeded', 'failed', 'exhausted', 'held', 'cancelled'] as const
const reasons = ['gone', 'failing'] as const

export type WebhookMetrics = ReturnType<typeof createMetrics>

/** The business counters of webhook-delivery, one function each. */
export function createMetrics(metrics: Metrics) {
  const attempts = metrics.counter('webhook_attempts_total', 'Attempts to deliver a webhook by outcome', {
    outcome: outcomes,
  })
  const delayed = metrics.counter(
    'webhook_attempts_delayed_total',
    'Attempts postponed because too many host names of their tenant had no answer',
  )
  const seconds = metrics.histogram(
    'webhook_exchange_seconds',
    'Duration of exchanges with receivers',
    [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
  )
  const stored = metrics.counter('webhook_deliveries_total', 'Deliveries stored, by what asked for them', {
    source: sources,
  })
  const postponed = metrics.counter('webhook_events_postponed_total', 'Events whose deliveries were stored later')
  const disabled = metrics.counter(
    'webhook_subscriptions_disabled_total',
    'Subscriptions disabled by the service itself',
    { reason: reasons },
  )
  return {
    attempted(outcome: Exclude<(typeof outcomes)[number], 'cancelled'>, durationMs: number) {
      attempts({ outcome })
      seconds(durationMs / 1000)
    },
    cancelled: () => attempts({ outcome: 'cancelled' }),
    delayed: () => delayed({}),
    stored: (source: (typeof sources)[number], count: number) => stored({ source }, count),
    postponed: (count: number) => postponed({}, count),
    disabled: (reason: (typeof reasons)[number]) => disabled({ reason }),
    /** Shows what no worker has begun to deliver. */
    showOverdue: (seconds: () => Promise<number>) =>
      metrics.gauge(
        'webhook_endpoints_overdue_seconds',
        'How long an endpoint with due deliveries has waited for a worker, failing ones aside',
        seconds,
      ),
  }
}
