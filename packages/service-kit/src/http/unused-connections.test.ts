import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { Lifecycle } from '../lifecycle.ts'
import { createApp, listen, type ServerLimits, serverLimits } from './server.ts'

let lifecycle: Lifecycle
let server: Server
let port: number
let sockets: Socket[]
/** The server's ends of the connections that Node has judged: no headers came in their time. */
let judged: Socket[]
let bytesRead: () => number
/** Lets slow requests be answered. */
let answer: () => void

/** Longer than a test may last. */
const longMs = 600_000
const silenceMs = 100_000

async function start(limits: Partial<ServerLimits> = {}): Promise<void> {
  const log = pino({ level: 'silent' })
  lifecycle = new Lifecycle(log)
  ;[sockets, judged] = [[], []]
  const app = createApp()
  const gate = Promise.withResolvers<void>()
  answer = gate.resolve
  app.get('/', (request, response) => void response.end(`here ${request.socket.timeout}`))
  app.get('/slow', async (_request, response) => {
    await gate.promise
    response.end('late')
  })
  const address = { host: '127.0.0.1', port: 0, docsUrl: 'https://docs' }
  const ofTests = { headersMs: 200, checkMs: 20, idleMs: longMs, roomMs: 50, lingerMs: 100, silenceMs }
  const all = { ...serverLimits, ...ofTests, ...limits }
  ;({ server, port } = await listen({ app }, { ...address, limits: all }, { log, lifecycle }))
  const ends: Socket[] = []
  server.on('connection', (end) => ends.push(end))
  bytesRead = () => ends.reduce((sum, end) => sum + end.bytesRead, 0)
  server.prependListener('clientError', (_error, socket) => judged.push(socket as Socket))
}
afterEach(async () => {
  answer()
  for (const socket of sockets) socket.destroy()
  await lifecycle.stop()
})

interface Opened {
  socket: Socket
  /** All that it received until the server closed it. */
  received: Promise<string>
}

async function open(): Promise<Opened> {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  // A write may meet the closed connection.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return { socket, received: text(socket).catch(() => 'reset') }
}

async function openUnused(): Promise<Opened> {
  const before = judged.length
  const opened = await open()
  while (judged.length === before) await delay(10)
  return opened
}
const get = (path = '/', connection = 'close') => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n\r\n`

test('a request on a connection that was opened long before is answered, with the limits of any request', async () => {
  await start()
  const { socket, received } = await openUnused()
  socket.write(get())
  expect(await received).toMatch(new RegExp(`^HTTP/1\\.1 200 .*here ${silenceMs}$`, 's'))
})

test('headers that begin on such a connection and never end are answered 408', async () => {
  await start()
  const { socket, received } = await openUnused()
  socket.write('GET / HTTP/1.1\r\n')
  expect(await received).toMatch(/^HTTP\/1\.1 408 /)
})

test('a connection that is never used is closed as an idle one, without an answer', async () => {
  await start({ idleMs: 500 })
  const begunMs = performance.now()
  expect(await (await open()).received).toBe('')
  expect(performance.now() - begunMs).toBeGreaterThan(500 + 200 - 10)
})

test('line ends, which begin no request, do not keep it open', async () => {
  await start()
  const { socket, received } = await openUnused()
  const timer = setInterval(() => socket.write('\r\n'), 20)
  expect(['', 'reset']).toContain(await received)
  clearInterval(timer)
})

test('such connections make room when there are too many; idle ones and those with a request stay', async () => {
  await start()
  const [slow, unused, idle] = [await openUnused(), await openUnused(), await open()]
  slow.socket.write(get('/slow'))
  idle.socket.write(get('/', 'keep-alive'))
  await once(idle.socket, 'data')
  server.maxConnections = 3
  await (await open()).received
  expect(await unused.received).toBe('')
  const { socket, received } = await open()
  socket.write(get())
  expect(await received).toMatch(/^HTTP\/1\.1 200 /)
  idle.socket.write(get())
  expect((await idle.received).match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
  answer()
  expect(await slow.received).toMatch(/late$/)
})

test('the newest stay, whose request may be on its way: idle ones make room', async () => {
  await start({ roomMs: longMs })
  const [idle, newest] = [await open(), await open()]
  idle.socket.write(get('/', 'keep-alive'))
  await once(idle.socket, 'data')
  server.maxConnections = 2
  await (await open()).received
  expect(await idle.received).toMatch(/^HTTP\/1\.1 200 /)
  newest.socket.write(get())
  expect(await newest.received).toMatch(/^HTTP\/1\.1 200 /)
})

test('a process that ends does not wait for them, but for requests that have begun on them', async () => {
  await start({ headersMs: longMs, requestMs: longMs })
  const [unused, begun] = [await open(), await open()]
  const request = get()
  begun.socket.write(request.slice(0, 20))
  while (bytesRead() < 20) await delay(10)
  const stopped = lifecycle.stop()
  expect(await unused.received).toBe('')
  begun.socket.write(request.slice(20))
  expect(await begun.received).toMatch(/^HTTP\/1\.1 200 /)
  await stopped
})
