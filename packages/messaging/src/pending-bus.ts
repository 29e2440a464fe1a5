import { setTimeout as delay } from 'node:timers/promises'
import type { Kit } from '@notify/service-kit'
import type { Bus } from './connect.ts'
import { type BusConfig, openBus } from './open-bus.ts'

/** The bus of a process that accepts without it: NATS may be away when it starts. */
export interface PendingBus {
  /** Undefined until NATS was there for the first time. */
  readonly current: Bus | undefined
  /** Runs what needs the bus: at once, or when NATS comes. */
  whenOpen(start: (bus: Bus) => void): void
}

/** A server that runs is connected within this time. */
const patienceMs = 2000

/**
 * Opens the bus like {@link openBus}, but returns after two seconds without NATS, and connects in the background. Registers its end.
 * @throws ConfigError for a contradictory login; Error when NATS refuses it. A refusal later ends the process
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
    kit.log.warn('starting without NATS: what is accepted stays in the outbox until it comes')
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
