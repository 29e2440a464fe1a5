import type { ConsumerInfo } from '@nats-io/jetstream'
import type { Bus } from './connect.ts'

/** An invalid pull request, which the server refuses with status 400 without delivering a message. */
const unreadableRequest = '{'
const timeoutMs = 1000

/**
 * Whether a durable answers pull requests. nats-server 2.9 can create a durable on a stream that another client is
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
