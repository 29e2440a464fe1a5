import { setTimeout as delay } from 'node:timers/promises'
import { Channel, channelContracts } from '@notify/contracts'
import type { JsonClient } from './json-client.ts'

/** What is measured: each channel, and one-time codes. */
export type ChannelName = Channel | 'otp'

type Contract = (typeof channelContracts)[Channel]

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
  const optedIn = phoneOf(0)
  await client.post('/api/v1/whatsapp/opt-ins', { phone_e164: optedIn, source: 'web_form' })
  const sends = Channel.options.map((channel): [Channel, Send] => {
    const contract = channelContracts[channel]
    return [
      channel,
      (n) => {
        const to = { phone: contract.needsConsent ? optedIn : phoneOf(n), url: receiverOf(n) }
        return post('/api/v1/notifications', {
          ...{ channel, recipient: recipientOf(contract, n, to) },
          ...contentOf(contract, markOf(n)),
        })
      },
    ]
  })
  const send = Object.fromEntries(sends) as Record<Channel, Send>
  await untilAccepted(() => send.whatsapp(0))
  return {
    ...send,
    otp: (n) => post('/api/v1/otp/send', { channel: 'sms', recipient: phoneOf(n), code: markOf(n) }),
  }
}

/** Where messages of a channel arrive: at a carrier, at the address of a receiver, or in the stream of a user. */
export function destinationOf({ recipientFields }: Contract): 'carrier' | 'receiver' | 'user' {
  if (recipientFields.length === 0) return 'user'
  return recipientFields.includes('url') ? 'receiver' : 'carrier'
}

/** The fields of a recipient that the contract names; without any, it is a user. */
function recipientOf(contract: Contract, n: number, to: { phone: string; url: string }): string | object {
  if (destinationOf(contract) === 'user') return users[n % users.length]!
  const known = { ...to, email: `customer${n}@example.com`, opt_in_reference: 'bench' }
  return Object.fromEntries(Object.entries(known).filter(([field]) => contract.recipientFields.includes(field)))
}

/** The event of the demo, or a content of its own on channels that show data. */
function contentOf({ showsData, shownFields }: Contract, order: string): object {
  if (!showsData) return { event_key: 'order.shipped', data: { name: 'Ada', order } }
  const shown = shownFields.includes('title') ? { title: `Parcel ${order}` } : { data: { order } }
  return { ...shown, body: 'It is on its way.' }
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
