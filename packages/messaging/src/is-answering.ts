import type { ConsumerInfo } from '@nats-io/jetstream'
import type { Bus } from './connect.ts'

/** An invalid pull request: the server refuses it with status 400 and delivers no message. */
const unreadableRequest = '{'
const timeoutMs = 1000

/**
 * Whether a durable answers pull requests. If another client is creating the stream at the same time, nats-server 2.9 may
 * create a durable that counts messages as delivered but sends none until the server restarts.
 */
export async function isAnswering({ connection }: Bus, stream: string, durable: string): Promise<boolean> {
  const pull = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`
  return connection.request(pull, unreadableRequest, { timeout: timeoutMs }).then(
    () => true,
    () => false,
  )
}

/** Whether a durable has delivered a message, which proves that it answers. */
export function hasDelivered({ ack_floor }: ConsumerInfo): boolean {
  return ack_floor.consumer_seq > 0
}
