import { once } from 'node:events'
import { type ClientRequest, createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createTestKit } from '@notify/test-kit/kit'
import { OpenStreams, streamLimits } from './open-streams.ts'

const kit = createTestKit('inbox-stream')
const streams = new OpenStreams(kit, { ...streamLimits, maxBytes: 10 * streamLimits.bytesEach })
/** Each path is a tenant. */
const server = createServer(({ url }, response) => {
  try {
    streams.open(response, {}, url)
  } catch {
    response.writeHead(503).end()
  }
})
const readers: ClientRequest[] = []
afterEach(() => {
  for (const reader of readers) reader.destroy()
  server.close()
})

async function open(tenant: string): Promise<number> {
  const reader = get({ port: (server.address() as AddressInfo).port, path: `/${tenant}`, agent: false })
  reader.on('error', () => {})
  readers.push(reader)
  const [answer] = (await once(reader, 'response')) as [IncomingMessage]
  return answer.resume().statusCode!
}

async function openAll(tenant: string): Promise<number> {
  for (let count = 0; ; count++) if ((await open(tenant)) !== 200) return count
}

test('a tenant opens no further stream while it has more than it leaves free, so others find room', async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  expect([await openAll('a'), await openAll('b'), await openAll('c')]).toEqual([6, 3, 1])
  expect(kit.gauged('http_server_stream_room_used_ratio')).toBe(1)
  readers[0]!.destroy()
  while (kit.gauged('http_server_open_streams') === 10) await new Promise(setImmediate)
  expect(await open('b')).toBe(503)
  expect(await open('d')).toBe(200)
})
