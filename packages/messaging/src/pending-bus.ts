import { setTimeout as delay } from 'node:timers/promises'
import type { Kit } from '@notify/service-kit'
import type { Bus } from './connect.ts'
import { type BusConfig, openBus } from './open-bus.ts'

/** The bus of a process that starts and accepts even while NATS is unavailable. */
export interface PendingBus {
  /** Undefined until the first connection. */
  readonly current: Bus | undefined
  /** Runs `start` at once, or after the first connection. */
  whenOpen(start: (bus: Bus) => void): void
}

/** Timeout of the first connection; with a running server it takes less. */
const patienceMs = 2000

/**
 * Opens the bus like {@link openBus}, but returns after two seconds even if NATS or JetStream is not available, and then
 * opens it in the background. Registers its end.
 * @throws ConfigError for a contradictory login; Error when NATS refuses it or the stream. A later refusal ends the process
 */
export async function openPendingBus(kit: Kit, config: BusConfig): Promise<PendingBus> {
  let current: Bus | undefined
  const waiting: ((bus: Bus) => void)[] = []
  const opening = openBus(kit, config).then((bus) => {
    current = bus
    for (const start of waiting) start(bus)
  })
  await Promise.race([opening, delay(patienceMs, undefined, { ref: false })])
  if (!current) {
    kit.log.warn('starting without NATS: accepted messages wait in the outbox until it is available')
    opening.catch((error: unknown) => {
      if (!kit.lifecycle.stopping) throw error
    })
  }
  return {
    get current() {
      return current
    },
    whenOpen(start) {
      if (current) start(current)
      else waiting.push(start)
    },
  }
}

/** The bus, if it is open. */
export function openBusOf(bus: Bus | PendingBus): Bus | undefined {
  return 'whenOpen' in bus ? bus.current : bus
}
