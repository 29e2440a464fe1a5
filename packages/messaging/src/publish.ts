import { headers } from '@nats-io/transport-node'
import type { Bus } from './connect.ts'

/** The event's own identity: the same however often it is published; consumers deduplicate by it. */
export const eventIdHeader = 'Event-Id'

export interface OutgoingEvent {
  id: string
  subject: string
  /** JSON text. */
  payload: string
  traceparent: string | null
}

const publishTimeoutMs = 1000

/**
 * Publishes one event and waits until JetStream has it.
 * @param messageId what JetStream's duplicate window compares: the event's id, or another one to publish it anew
 * @returns its sequence in the stream
 * @throws Error when there was no answer in time: repeat with the same id
 */
export async function publishEvent(bus: Bus, event: OutgoingEvent, messageId: string = event.id): Promise<number> {
  const eventHeaders = headers()
  eventHeaders.set(eventIdHeader, event.id)
  if (event.traceparent) eventHeaders.set('traceparent', event.traceparent)
  const ack = await bus.js.publish(event.subject, event.payload, {
    msgID: messageId,
    headers: eventHeaders,
    timeout: publishTimeoutMs,
    retries: 0,
  })
  return ack.seq
}
