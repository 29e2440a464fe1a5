import type { Kit } from '@notify/service-kit'
import type { Bus } from './connect.ts'
import type { ConsumeOptions } from './consume-options.ts'
import { ConsumerLoop, type Counted } from './consumer-loop.ts'
import { measureLag } from './measure-lag.ts'
import { startLetterRetries } from './retry-letters.ts'

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
