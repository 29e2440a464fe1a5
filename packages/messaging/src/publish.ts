import { headers } from '@nats-io/transport-node'
import type { Bus } from './connect.ts'

/** The message's own id, the same in every publication; event ids derive from it. */
export const messageIdHeader = 'Message-Id'

export interface OutgoingMessage {
  id: string
  subject: string
  /** JSON text of an array of `WireEvent`. */
  events: string
}

const publishTimeoutMs = 1000

/**
 * Publishes a message and waits for the confirmation of JetStream.
 * @param publicationId the id that JetStream's duplicate window compares: the message's id, or another one to publish it
 * again
 * @returns its sequence in the stream
 * @throws Error on timeout: publish it again with the same id
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
