import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll } from '@jest/globals'
import { createEgress, type Egress, type HostResolver, parseAllowList } from '../src/index.ts'
import { type Authority, makeAuthority, type RawReceiver, startRawReceiver } from './raw-receiver.ts'

/** Whose certificates the clients of the tests trust. */
export let authority: Authority
/** Of 127.0.0.1. */
export let certificate: { cert: string; key: string }
const ends: (() => unknown)[] = []

beforeAll(async () => {
  authority = await makeAuthority()
  certificate = await authority.sign({})
})
afterAll(() => Promise.all(ends.map((end) => end())))

/** Starts a receiver, until the end of the tests. */
export async function receiver(answer: (socket: TLSSocket) => void, own = certificate): Promise<RawReceiver> {
  const made = await startRawReceiver(own, answer)
  ends.push(made.close)
  return made
}

/** Starts a server that accepts connections and never writes, until the end of the tests. */
export async function muteServer(accepted: (socket: Socket) => void = () => {}): Promise<Server> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}).resume())
    accepted(socket)
  }).listen(0, '127.0.0.1')
  ends.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(server, 'listening')
  return server
}

/** Opens a client, until the end of the tests. */
export function client(options: { allow?: string; resolve?: HostResolver } = {}): Egress {
  const made = createEgress({
    ca: authority.ca,
    allowed: parseAllowList(options.allow ?? '127.0.0.0/8'),
    ...(options.resolve ? { resolve: options.resolve } : {}),
  })
  ends.push(made.close)
  return made
}

export const post = (egress: Egress, url: string, deadlineMs = 5000) =>
  egress.post({ url, headers: { 'x-test': 'yes' }, body: '{"a":1}', deadlineMs })
export const answered = (text: string) => (socket: TLSSocket) => void socket.write(text)
export const ok = answered('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
