import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { Lifecycle } from '../lifecycle.ts'
import { createApp, listen, serverLimits } from './server.ts'

let lifecycle: Lifecycle
let server: Server
let port: number
let sockets: Socket[]
/** The server's ends of the connections. */
let ends: Socket[]

async function start(idleMs: number): Promise<void> {
  const log = pino({ level: 'silent' })
  lifecycle = new Lifecycle(log)
  ;[sockets, ends] = [[], []]
  const app = createApp()
  app.get('/', (_request, response) => void response.end('here'))
  const address = { host: '127.0.0.1', port: 0, docsUrl: 'https://docs' }
  const limits = { ...serverLimits, headersMs: 200, checkMs: 20, idleMs, lingerMs: 100 }
  ;({ server, port } = await listen({ app }, { ...address, limits }, { log, lifecycle }))
  server.on('connection', (end) => ends.push(end))
}
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await lifecycle.stop()
})

/** A connection, and all that it received when the server has closed it. */
async function open(): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  await once(socket, 'connect')
  return { socket, received: text(socket).catch(() => 'reset') }
}

/** Connections that had no request in the time for headers. It is extended while the process is slow. */
async function openUnused(idleMs: number, count = 1) {
  const opened = await Promise.all(Array.from({ length: count }, open))
  while (ends.length < count || ends.some(({ timeout }) => timeout !== idleMs)) {
    expect(ends.some(({ destroyed }) => destroyed)).toBe(false)
    await delay(10)
  }
  return opened
}
const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
/** Longer than a test may last. */
const longMs = 600_000

test('a request on a connection that was opened long before is answered', async () => {
  await start(longMs)
  const [unused] = await openUnused(longMs)
  unused!.socket.write(get)
  expect(await unused!.received).toMatch(/^HTTP\/1\.1 200 .*here$/s)
})

test('headers that begin on such a connection and never end are answered 408', async () => {
  await start(longMs)
  const [unused] = await openUnused(longMs)
  unused!.socket.write('GET / HTTP/1.1\r\n')
  expect(await unused!.received).toMatch(/^HTTP\/1\.1 408 /)
})

test('a connection that is never used is closed as an idle one, without an answer', async () => {
  await start(500)
  const begunMs = performance.now()
  expect(await (await open()).received).toBe('')
  expect(performance.now() - begunMs).toBeGreaterThan(500 + 200)
})

test('such connections make room when there are too many', async () => {
  await start(longMs)
  const unused = await openUnused(longMs, 2)
  server.maxConnections = 2
  await (await open()).received
  expect(await Promise.all(unused.map(({ received }) => received))).toEqual(['', ''])
  const { socket, received } = await open()
  socket.write(get)
  expect(await received).toMatch(/^HTTP\/1\.1 200 /)
})

test('a process that ends does not wait for them', async () => {
  await start(longMs)
  const [unused] = await openUnused(longMs)
  await lifecycle.stop()
  expect(await unused!.received).toBe('')
})
