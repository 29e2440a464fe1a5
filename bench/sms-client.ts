import type { Stack } from '@notify/dev-env'
import { createJsonClient, doMany } from './json-client.ts'

/** An accepted notification, and the arrival of its 202 in Unix milliseconds. */
export interface Accepted {
  id: string
  atMs: number
}

/** A message with a text of its own, or with that of an event. */
export type SmsRequest = { to: string; priority?: 'transactional' | 'bulk' } & (
  | { body: string }
  | { event_key: string; data: object; locale?: string }
)

export interface SmsClient {
  /** Sends a request on a kept connection. @throws Error unless the response is 202 */
  post(request: SmsRequest): Promise<Accepted>
  /** Sends several messages; each caller waits for its response before the next. */
  postMany(
    count: number,
    callers: number,
    requestOf: (n: number) => Parameters<SmsClient['post']>[0],
  ): Promise<Accepted[]>
  close(): void
}

/** A customer's backend that calls the gateway, by default with the demo key. */
export function createSmsClient(stack: Stack, apiKey?: string): SmsClient {
  const client = createJsonClient(stack, undefined, apiKey)
  const post: SmsClient['post'] = async ({ to, ...rest }) => {
    const request = { channel: 'sms', recipient: { phone: to }, ...rest }
    const { status, body, atMs } = await client.post('/api/v1/notifications', request)
    if (status === 202) return { id: body.notification_id, atMs }
    throw new Error(`a request got ${status}: ${JSON.stringify(body)}`)
  }
  return {
    post,
    postMany: (count, callers, requestOf) => doMany(count, callers, (n) => post(requestOf(n))),
    close: client.close,
  }
}
