import { createTtlCache, type Kit, type Reading } from '@notify/service-kit'
import type { Bus } from './connect.ts'
import type { ConsumerEntry } from './consumer.ts'
import { findConsumer } from './provision.ts'
import { readPosition } from './read-position.ts'

interface Lag {
  pending: Reading[]
  unacknowledged: Reading[]
}

/** Exports the lag of each durable. Every replica reports the same durables: take the largest value, not the sum. */
export function measureLag<Context>(kit: Kit, bus: Bus, consumers: readonly ConsumerEntry<Context>[]): void {
  const measure = createTtlCache<Lag>({ ttlMs: 5000, maxEntries: 1, load: () => readLag(bus, consumers) })
  const gauge = (name: string, description: string, of: (lag: Lag) => Reading[]) =>
    kit.metrics.gauge(name, description, async () => of(await measure.get('lag')))
  gauge(
    'consumer_pending_events',
    'Messages, each with events of one commit, that JetStream has not delivered to a durable yet',
    (lag) => lag.pending,
  )
  gauge(
    'consumer_unacknowledged_events',
    'Messages, each with events of one commit, that were delivered to a durable and are not acknowledged',
    (lag) => lag.unacknowledged,
  )
}

/** A durable that cannot be read has no value, so that the series has a gap and not a 0. */
async function readLag<Context>(bus: Bus, consumers: readonly ConsumerEntry<Context>[]): Promise<Lag> {
  const found = await Promise.all(
    consumers.map(async ({ event, durable }) => {
      const info = await findConsumer(bus, event.publisher, durable).catch(() => undefined)
      return { durable, position: info && readPosition(info) }
    }),
  )
  const readings = (of: 'pending' | 'unacknowledged') =>
    found.flatMap(({ durable, position }) => (position ? [{ value: position[of], attributes: { durable } }] : []))
  return { pending: readings('pending'), unacknowledged: readings('unacknowledged') }
}
