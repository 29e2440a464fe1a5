import { once } from 'node:events'
import {
  type ClientRequest,
  createServer,
  get,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createTestKit } from '@notify/test-kit/kit'
import { encodeEvent } from './encoded-event.ts'
import type { OpenStream } from './open-stream.ts'
import { OpenStreams, type StreamLimits, streamLimits } from './open-streams.ts'

let server: Server
const readers: ClientRequest[] = []
afterEach(() => {
  for (const reader of readers.splice(0)) reader.destroy()
  server.close()
})

/** Serves streams; each path is a tenant. */
async function serve(limits: Partial<StreamLimits>) {
  const kit = createTestKit('inbox-stream')
  const streams = new OpenStreams(kit, { ...streamLimits, ...limits })
  const opened: { stream: OpenStream; response: ServerResponse }[] = []
  server = createServer(({ url }, response) => {
    try {
      opened.push({ stream: streams.open(response, {}, url), response })
    } catch {
      response.writeHead(503).end()
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { kit, opened }
}

async function ask(tenant: string): Promise<IncomingMessage> {
  const reader = get({ port: (server.address() as AddressInfo).port, path: `/${tenant}`, agent: false })
  reader.on('error', () => {})
  readers.push(reader)
  const [answer] = (await once(reader, 'response')) as [IncomingMessage]
  return answer.on('error', () => {})
}

const open = async (tenant: string): Promise<number> => (await ask(tenant)).resume().statusCode!

async function openAll(tenant: string): Promise<number> {
  for (let count = 0; ; count++) if ((await open(tenant)) !== 200) return count
}

const turn = () => new Promise(setImmediate)

test('a tenant opens no further stream while it has more than it leaves free, so others find room', async () => {
  const { kit } = await serve({ maxBytes: 10 * streamLimits.bytesEach })
  expect([await openAll('a'), await openAll('b'), await openAll('c')]).toEqual([6, 3, 1])
  expect(kit.gauged('http_server_stream_room_used_ratio')).toBe(1)
  readers[0]!.destroy()
  while (kit.gauged('http_server_open_streams') === 10) await turn()
  expect(await open('b')).toBe(503)
  expect(await open('d')).toBe(200)
})

test('a tenant whose readers take nothing loses its fullest streams, and what they left counts, so others find room', async () => {
  const { kit, opened } = await serve({ maxBytes: 64 * streamLimits.bytesEach, sweepMs: 20 })
  expect(await open('b')).toBe(200)
  const unread = await Promise.all(['a', 'a', 'a', 'a'].map(ask))
  expect(unread.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  const event = encodeEvent({ event: 'large', data: 'x'.repeat(64 * 1024) })
  for (const { stream, response } of opened.slice(1))
    while (stream.bufferedBytes < 900 * 1024 && !response.destroyed) {
      stream.writeEvent(event)
      await turn()
    }
  // One may keep that much: it leaves more free.
  while (kit.gauged('http_server_open_streams') > 2) await turn()
  expect(kit.counted('http_server_streams_closed_total', { reason: 'slow' })).toBe(3)
  expect(opened[0]!.response.destroyed).toBe(false)
  expect(await open('c')).toBe(200)
  expect(await openAll('a')).toBeLessThan(15)
})
