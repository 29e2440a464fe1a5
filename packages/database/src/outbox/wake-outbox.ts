import { wakeSubject } from '@notify/contracts'
import { type Bus, openBusOf, type PendingBus } from '@notify/messaging'
import type { Kit } from '@notify/service-kit'

/** Minimum interval of wake-ups of a busy process. The first after a pause is immediate. */
const everyMs = { awaited: 5, later: 40 }

/**
 * Wakes the outbox relay of the service after a commit. `awaited`: the events are urgent, such as a webhook to send. By
 * default they are not, and busy processes collect more.
 */
export type WakeOutbox = (urgency?: keyof typeof everyMs) => void

/** The relays of this process, which need no message to be woken. */
const direct = new WeakMap<Bus, () => void>()

/** Registers the relay of this process. @returns ends the registration */
export function wakeDirectly(bus: Bus, wake: () => void): () => void {
  direct.set(bus, wake)
  return () => direct.delete(bus)
}

/**
 * Creates the function that wakes the relay of this process or, without one, those of the service's other processes.
 * Wake-ups are coalesced and may be lost, because the relay polls as well.
 */
export function createOutboxWaker({ service }: Pick<Kit, 'service'>, bus: Bus | PendingBus): WakeOutbox {
  let lastMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let timerMs = Number.POSITIVE_INFINITY
  const wake = () => {
    clearTimeout(timer)
    timerMs = Number.POSITIVE_INFINITY
    lastMs = performance.now()
    const open = openBusOf(bus)
    const wakeRelay = open && direct.get(open)
    if (wakeRelay) wakeRelay()
    else if (open && !open.connection.isClosed()) open.connection.publish(wakeSubject(service))
  }
  return (urgency = 'later') => {
    const dueMs = lastMs + everyMs[urgency]
    const waitMs = dueMs - performance.now()
    if (waitMs <= 0) return wake()
    if (dueMs >= timerMs) return
    clearTimeout(timer)
    timerMs = dueMs
    timer = setTimeout(wake, waitMs).unref()
  }
}
