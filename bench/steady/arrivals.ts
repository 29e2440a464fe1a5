import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Stack } from '@notify/dev-env'
import { numberIn, users } from '../channels.ts'
import { doMany, type JsonClient } from '../json-client.ts'

/** When each message arrived at its destination, in Unix milliseconds, by its number. */
export type ReadArrivals = () => Promise<ReadonlyMap<number, number>>

interface Logged {
  text: string
  received_at: string
}

/** Arrivals at the carrier sandbox, in whole milliseconds. */
export async function arrivalsAtCarrier(stack: Stack): Promise<ReadonlyMap<number, number>> {
  const response = await fetch(`${stack.url('carrier-sandbox')}/messages?limit=100000`)
  const { items } = (await response.json()) as { items: Logged[] }
  return new Map(items.map(({ text, received_at }) => [numberIn(text) ?? -1, Date.parse(received_at)]))
}

export interface Streams {
  read: ReadArrivals
  close(): void
}

/** Opens the stream of each user. */
export async function openStreams(stack: Stack, client: JsonClient): Promise<Streams> {
  const arrived = new Map<number, number>()
  const closing = new AbortController()
  await doMany(users.length, 10, async (at) => {
    const { body } = await client.post('/api/v1/in-app/tokens', { user_id: users[at] })
    const headers = { authorization: `Bearer ${body.token}`, accept: 'text/event-stream' }
    const response = await fetch(`${stack.url('gateway')}/api/v1/in-app/stream`, { headers, signal: closing.signal })
    void follow(response, arrived).catch(() => {})
  })
  return { read: async () => arrived, close: () => closing.abort() }
}

async function follow(response: Response, arrived: Map<number, number>): Promise<void> {
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const atMs = performance.timeOrigin + performance.now()
    for (const [, title = ''] of chunk.matchAll(/"title":"Parcel (\d+)"/g)) arrived.set(numberIn(title)!, atMs)
  }
}

export interface Receivers {
  process: ChildProcess
  urls: readonly string[]
  read: ReadArrivals
  close(): void
}

/** Starts receivers of webhooks, each on its own port. */
export async function startReceivers(stack: Stack, count: number): Promise<Receivers> {
  const { cert, key } = stack.wiring.certificates.server
  const process = fork(join(import.meta.dirname, 'webhook-receivers.ts'), [cert, key, String(count)])
  const [ports] = await once(process, 'message')
  return {
    process,
    urls: (ports as number[]).map((port) => `https://127.0.0.1:${port}/bench`),
    read: async () => {
      process.send('read')
      return new Map((await once(process, 'message'))[0] as [number, number][])
    },
    close: () => process.disconnect(),
  }
}
