import type { ConsumerInfo } from '@nats-io/jetstream'
import type { Bus } from './connect.ts'

/** The server refuses it with status 400: a request that never takes a message. */
const unreadableRequest = '{'
const timeoutMs = 1000

/**
 * Tells whether a durable answers pull requests. nats-server 2.9 can create a durable on a stream that another client is
 * just creating; such a durable counts messages as delivered, but sends nothing until the server restarts.
 */
export async function isAnswering({ connection }: Bus, stream: string, durable: string): Promise<boolean> {
  const pull = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`
  return connection.request(pull, unreadableRequest, { timeout: timeoutMs }).then(
    () => true,
    () => false,
  )
}

/** Whether a durable has proved that it delivers: a message of it was received. */
export function hasDelivered({ ack_floor }: ConsumerInfo): boolean {
  return ack_floor.consumer_seq > 0
}
