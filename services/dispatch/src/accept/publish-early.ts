import type { OutboxMessage } from '@notify/database'
import { type Bus, openBusOf, type PendingBus, publish } from '@notify/messaging'
import type { Kit } from '@notify/service-kit'

/** A message of the outbox that has been committed. */
export type CommittedMessage = OutboxMessage & { id: string }

/** Publishes committed messages at once; the relay publishes them again, and JetStream drops the repetition. */
export type PublishEarly = (messages: readonly CommittedMessage[]) => void

/** Codes do not wait for the relay, which may be busy with a campaign. What fails here is left to the relay. */
export function createEarlyPublisher({ log }: Pick<Kit, 'log'>, bus: Bus | PendingBus): PublishEarly {
  return (messages) => {
    const open = openBusOf(bus)
    if (!open) return
    for (const message of messages) {
      publish(open, message).catch((error: unknown) => log.debug({ error }, 'left to the outbox relay'))
    }
  }
}
