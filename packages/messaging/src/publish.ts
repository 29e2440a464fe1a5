import { headers } from '@nats-io/transport-node'
import type { Bus } from './connect.ts'

/** The message's own identity: the same however often it is published; consumers know its events by it. */
export const messageIdHeader = 'Message-Id'

export interface OutgoingMessage {
  id: string
  subject: string
  /** JSON text of an array of `WireEvent`. */
  events: string
}

const publishTimeoutMs = 1000

/**
 * Publishes one message and waits until JetStream has it.
 * @param publicationId what JetStream's duplicate window compares: the message's id, or another one to publish it anew
 * @returns its sequence in the stream
 * @throws Error when there was no answer in time: repeat with the same id
 */
export async function publish(bus: Bus, message: OutgoingMessage, publicationId: string = message.id): Promise<number> {
  const messageHeaders = headers()
  messageHeaders.set(messageIdHeader, message.id)
  const ack = await bus.js.publish(message.subject, message.events, {
    msgID: publicationId,
    headers: messageHeaders,
    timeout: publishTimeoutMs,
    retries: 0,
  })
  return ack.seq
}
