import type { Stack } from '@notify/dev-env'
import twilio from 'twilio'

/**
 * The yardstick: loops over the bare SDK, each sending its next message after the last response; no storage or retries.
 * @returns messages per second
 */
export async function sendWithBareSdk(
  stack: Stack,
  count: number,
  callers: number,
  messageOf: (n: number) => { to: string; body: string },
  statusCallback?: string,
): Promise<number> {
  const { twilio_account_sid, twilio_auth_token } = stack.state
  const httpClient = new twilio.RequestClient({ keepAlive: true, maxSockets: callers })
  const client = twilio(twilio_account_sid, twilio_auth_token, { httpClient })
  client.api.baseUrl = `${stack.url('carrier-sandbox')}/twilio`
  let next = 0
  const send = async () => {
    while (next < count) {
      const message = { from: '+15005550006', ...messageOf(next++) }
      await client.messages.create(statusCallback ? { ...message, statusCallback } : message)
    }
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: callers }, send))
  return (count / (performance.now() - startedMs)) * 1000
}
