import type { Metrics } from '@notify/service-kit'

export type InboxMetrics = ReturnType<typeof createMetrics>

/** The business counters of inbox-stream, one function each. */
export function createMetrics(metrics: Metrics) {
  const stored = metrics.counter('inbox_stored_total', 'Notifications handed over, by result', {
    result: ['stored', 'repeated', 'early', 'cancelled'],
  })
  const replayed = metrics.counter('inbox_stream_replays_total', 'Streams opened with Last-Event-ID, by result', {
    result: ['recovered', 'not_recovered'],
  })
  const gaps = metrics.counter(
    'inbox_stream_gaps_total',
    'Events that streams missed on the bus and read from Postgres',
  )
  return {
    /**
     * @param counts `early`: notifications that wait for their predecessor and are stored later; `cancelled`: those that their
     * recipients have switched off
     */
    stored({ received, fresh, early, cancelled }: Record<'received' | 'fresh' | 'early' | 'cancelled', number>) {
      const repeated = received - fresh - early - cancelled
      if (fresh > 0) stored({ result: 'stored' }, fresh)
      if (early > 0) stored({ result: 'early' }, early)
      if (cancelled > 0) stored({ result: 'cancelled' }, cancelled)
      if (repeated > 0) stored({ result: 'repeated' }, repeated)
    },
    replayed: (isRecovered: boolean) => replayed({ result: isRecovered ? 'recovered' : 'not_recovered' }),
    gap: () => gaps({}),
  }
}
