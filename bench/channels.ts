import { setTimeout as delay } from 'node:timers/promises'
import type { JsonClient } from './json-client.ts'

export type ChannelName = 'sms' | 'email' | 'whatsapp' | 'in_app' | 'webhook' | 'otp'

/** Sends message `n`, whose text contains `markOf(n)`. @throws Error unless it is accepted */
export type Send = (n: number) => Promise<{ atMs: number }>

const firstMark = 100_000

/** Six digits, so that it can be a code. */
const markOf = (n: number) => String(firstMark + (n % 900_000))

/** The number of the message whose mark a text contains. */
export function numberIn(text: string): number | undefined {
  const found = /\b\d{6}\b/.exec(text)
  return found ? Number(found[0]) - firstMark : undefined
}

/** Users who receive in-app messages in turn. */
export const users = Array.from({ length: 100 }, (_, at) => `user-${at}`)

/**
 * A request of each channel, each with its own recipient. Creates the opt-in for WhatsApp first.
 * @param receiverOf the URL that gets webhook `n`
 */
export async function sendersOf(
  client: JsonClient,
  receiverOf: (n: number) => string,
): Promise<Record<ChannelName, Send>> {
  const post = async (path: string, body: object) => {
    const answer = await client.post(path, body)
    if (answer.status === 202 || answer.status === 200) return answer
    throw new Error(`a request got ${answer.status}: ${JSON.stringify(answer.body)}`)
  }
  const notify = (channel: ChannelName, recipient: unknown, rest: object) =>
    post('/api/v1/notifications', { channel, recipient, ...rest })
  const ofEvent = (n: number) => ({ event_key: 'order.shipped', data: { name: 'Ada', order: markOf(n) } })
  const optedIn = phoneOf(0)
  await client.post('/api/v1/whatsapp/opt-ins', { phone_e164: optedIn, source: 'web_form' })
  const whatsapp: Send = (n) => notify('whatsapp', { phone: optedIn, opt_in_reference: 'bench' }, ofEvent(n))
  await untilAccepted(() => whatsapp(0))
  return {
    sms: (n) => notify('sms', { phone: phoneOf(n) }, ofEvent(n)),
    email: (n) => notify('email', { email: `customer${n}@example.com` }, ofEvent(n)),
    whatsapp,
    in_app: (n) =>
      notify('in_app', users[n % users.length], { title: `Parcel ${markOf(n)}`, body: 'It is on its way.' }),
    webhook: (n) =>
      notify('webhook', { url: receiverOf(n) }, { body: 'It is on its way.', data: { order: markOf(n) } }),
    otp: (n) => post('/api/v1/otp/send', { channel: 'sms', recipient: phoneOf(n), code: markOf(n) }),
  }
}

/** The last digit avoids the magic endings of the sandbox. */
function phoneOf(n: number): string {
  return `+1559${String(n).padStart(6, '0')}1`
}

/** Repeats a send until the template of the event is approved. */
async function untilAccepted(send: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await send()
      return
    } catch (error) {
      if (tries === 100) throw error
      await delay(200)
    }
  }
}
