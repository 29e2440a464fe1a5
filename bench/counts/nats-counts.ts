import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from '@notify/dev-env'
import type { Counts } from './counts.ts'

/** The setting that `readNatsCounts` needs: the server's monitoring on a free port. */
export const monitorSettings = ['http: "127.0.0.1:-1"']

interface Connections {
  connections: { name?: string; in_msgs: number; out_msgs: number; in_bytes: number; out_bytes: number }[]
}

interface JetStream {
  account_details?: {
    stream_detail?: {
      name: string
      state: { messages: number; bytes: number; last_seq: number }
      consumer_detail?: { name: string; delivered: { consumer_seq: number } }[]
    }[]
  }[]
}

/**
 * `nats_in` and `nats_out`: all messages from and to the connections of a service with their bytes, including acknowledgements
 * and requests. `stored` and `stored_bytes`: messages stored in streams. `delivered`: messages delivered, by consumer.
 */
export async function readNatsCounts(stack: Stack): Promise<Counts> {
  const { connections } = await get<Connections>(stack, '/connz?limit=1000')
  const { account_details = [] } = await get<JetStream>(stack, '/jsz?accounts=true&streams=true&consumers=true')
  const streams = account_details.flatMap(({ stream_detail = [] }) => stream_detail)
  const consumers = streams.flatMap(({ consumer_detail = [] }) => consumer_detail)
  const byService = (of: (one: Connections['connections'][number]) => number) =>
    sums(connections.map((one) => [one.name ?? 'other', of(one)]))
  return {
    nats_in: byService(({ in_msgs }) => in_msgs),
    nats_out: byService(({ out_msgs }) => out_msgs),
    nats_bytes: byService(({ in_bytes, out_bytes }) => in_bytes + out_bytes),
    stored: sums(streams.map(({ name, state }) => [name, state.last_seq])),
    stored_bytes: sums(streams.map(({ name, state }) => [name, bytesTaken(state)])),
    delivered: sums(consumers.map(({ name, delivered }) => [name, delivered.consumer_seq])),
  }
}

/** Removed messages count with the mean size of the others. */
function bytesTaken({ messages, bytes, last_seq }: { messages: number; bytes: number; last_seq: number }): number {
  return messages > 0 ? (bytes / messages) * last_seq : 0
}

function sums(entries: readonly (readonly [string, number])[]): Record<string, number> {
  const byName: Record<string, number> = {}
  for (const [name, value] of entries) byName[name] = (byName[name] ?? 0) + value
  return byName
}

async function get<T>(stack: Stack, path: string): Promise<T> {
  const log = readFileSync(join(stack.dataDir, 'logs', 'nats.log'), 'utf8')
  const port = /Starting http monitor on 127\.0\.0\.1:(\d+)/.exec(log)?.[1]
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return (await response.json()) as T
}
