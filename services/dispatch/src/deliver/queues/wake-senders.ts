import { sendWakeSubject } from '@notify/contracts'
import { type Bus, openBusOf, type PendingBus } from '@notify/messaging'
import type { Kit, Logger } from '@notify/service-kit'
import { z } from 'zod'
import type { LaneOf } from './queue-store.ts'
import type { QueueKey } from './send-queues.ts'

/** A queue with a new due message. */
export type WokenQueue = QueueKey & LaneOf

/** Notifies senders of queues that have due messages. A wake may be lost: senders also poll. */
export type WakeSenders = (queues: readonly WokenQueue[]) => void

const Wake = z.array(z.object({ tenant_id: z.string(), application_id: z.string(), mode: z.enum(['live', 'test']) }))

/** Publishes wakes on core NATS, one message for each lane of each channel. */
export function createSenderWaker(bus: Bus | PendingBus): WakeSenders {
  return (queues) => {
    const connection = openBusOf(bus)?.connection
    if (queues.length === 0 || !connection || connection.isClosed()) return
    const bySubject = Map.groupBy(queues, ({ lane, channel }) => sendWakeSubject(lane, channel))
    for (const [subject, group] of bySubject) {
      const byQueue = new Map(group.map((one) => [`${one.application_id} ${one.mode}`, one]))
      const keys = [...byQueue.values()].map(({ tenant_id, application_id, mode }) => ({
        tenant_id,
        application_id,
        mode,
      }))
      connection.publish(subject, JSON.stringify(keys))
    }
  }
}

/** Each wake reaches one of the processes that send a lane; the others find remaining messages by polling. */
const queueGroup = 'senders'

/** Subscribes to the wakes of a lane. Registers its end. */
export function onSenderWake(
  { log, lifecycle }: { log: Logger; lifecycle: Kit['lifecycle'] },
  bus: Bus,
  { lane, channel }: LaneOf,
  wake: (keys: readonly QueueKey[]) => void,
): void {
  const subscription = bus.connection.subscribe(sendWakeSubject(lane, channel), {
    queue: queueGroup,
    callback(error, message) {
      try {
        if (!error) wake(Wake.parse(message.json()))
      } catch {
        log.warn({ lane, channel }, 'a wake of senders is unreadable; they find the messages by polling')
      }
    },
  })
  lifecycle.onStop(`wakes of ${lane} ${channel}`, () => subscription.unsubscribe())
}
