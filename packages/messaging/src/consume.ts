import type { Kit } from '@notify/service-kit'
import type { Bus } from './connect.ts'
import type { ConsumerEntry } from './consumer.ts'
import { ConsumerLoop, type Counted } from './consumer-loop.ts'
import type { DeadLetterStore } from './dead-letter.ts'
import { measureLag } from './measure-lag.ts'
import { startLetterRetries } from './retry-letters.ts'

export interface ConsumeOptions<Context> {
  context: Context
  consumers: readonly ConsumerEntry<Context>[]
  /** Stores events that cannot be handled. */
  deadLetters: DeadLetterStore
  /** Age of messages that NATS may lose when killed, in milliseconds; five minutes by default. */
  unsyncedMs?: number
  /** Age from which a message that keeps failing leaves its stream for the dead letters, in milliseconds; one hour by default. */
  failingMs?: number
  /** Interval of looks for letters that an operator replays, in milliseconds; 5 s by default. */
  lettersEveryMs?: number
}

/** Results that every durable may have. */
const usualResults = ['done', 'repeat', 'waiting', 'dead', 'position_unknown'] as const satisfies readonly Counted[]

/** Starts the consumers of a service. Registers their stop: they take no new events and finish those in progress. */
export function startConsumers<Context>(kit: Kit, bus: Bus, options: ConsumeOptions<Context>): void {
  const handled = kit.metrics.counter('consumer_events_total', 'Events by durable and result', {
    durable: options.consumers.map(({ durable }) => durable),
    result: usualResults,
  })
  const count = (durable: string, result: Counted) => handled({ durable, result })
  for (const entry of options.consumers) {
    const loop = new ConsumerLoop(kit, bus, entry, options, (result) => count(entry.durable, result))
    kit.lifecycle.onStop(`consumer ${entry.durable}`, () => loop.stop())
    loop.start()
  }
  measureLag(kit, bus, options.consumers)
  startLetterRetries(kit, options, count)
}
