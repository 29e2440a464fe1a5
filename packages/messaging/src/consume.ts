import type { Kit } from '@notify/service-kit'
import type { Bus } from './connect.ts'
import type { ConsumerEntry } from './consumer.ts'
import { ConsumerLoop } from './consumer-loop.ts'

/** An event that no repetition helps, as the owner of the dead letters keeps it. */
export interface DeadLetter {
  eventId: string
  durable: string
  subject: string
  event: string
  reason: string
}

export interface ConsumeOptions<Context> {
  context: Context
  consumers: readonly ConsumerEntry<Context>[]
  /** Keeps a dead letter; the event is given up only after this returned. */
  keepDeadLetter(letter: DeadLetter): Promise<void>
  /** Wait for a process that does not answer before its messages are given to another; milliseconds, 15,000 by default. */
  ackWaitMs?: number
}

/** Starts the consumers of a service; registers their end: they stop taking events, and finish those under way. */
export function startConsumers<Context>(kit: Kit, bus: Bus, options: ConsumeOptions<Context>): void {
  const handled = kit.metrics.counter('consumer_events_total', 'Events by durable and result')
  for (const entry of options.consumers) {
    const loop = new ConsumerLoop(kit, bus, entry, options, (result) => handled({ durable: entry.durable, result }))
    kit.lifecycle.onStop(`consumer ${entry.durable}`, () => loop.stop())
    loop.start()
  }
}
