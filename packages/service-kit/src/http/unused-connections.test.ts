import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { Lifecycle } from '../lifecycle.ts'
import { createApp, listen, serverLimits } from './server.ts'

const limits = { ...serverLimits, headersMs: 200, checkMs: 20, idleMs: 2000, lingerMs: 100 }
/** After it, Node has judged the connection once. */
const judgedMs = 2 * limits.headersMs

let lifecycle: Lifecycle
let server: Server
let port: number
const sockets: Socket[] = []

beforeEach(async () => {
  const log = pino({ level: 'silent' })
  lifecycle = new Lifecycle(log)
  const app = createApp()
  app.get('/', (_request, response) => void response.end('here'))
  const address = { host: '127.0.0.1', port: 0, docsUrl: 'https://docs' }
  ;({ server, port } = await listen({ app }, { ...address, limits }, { log, lifecycle }))
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await lifecycle.stop()
})

/** A connection, and all that it received when the server has closed it. */
async function open(): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  await once(socket, 'connect')
  return { socket, received: text(socket).catch(() => 'reset') }
}
const connections = () => promisify(server.getConnections.bind(server))()
const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

test('a request on a connection that was opened long before is answered', async () => {
  const { socket, received } = await open()
  await delay(judgedMs)
  socket.write(get)
  expect(await received).toMatch(/^HTTP\/1\.1 200 .*here$/s)
})

test('headers that begin on such a connection and never end are answered 408', async () => {
  const { socket, received } = await open()
  await delay(judgedMs)
  socket.write('GET / HTTP/1.1\r\n')
  expect(await received).toMatch(/^HTTP\/1\.1 408 /)
})

test('a connection that is never used is closed as an idle one, without an answer', async () => {
  const started = performance.now()
  const { received } = await open()
  expect(await received).toBe('')
  expect(performance.now() - started).toBeGreaterThan(limits.idleMs)
})

test('such connections make room when there are too many', async () => {
  server.maxConnections = 2
  const unused = [await open(), await open()]
  await delay(judgedMs)
  const started = performance.now()
  await (await open()).received
  expect(await Promise.all(unused.map(({ received }) => received))).toEqual(['', ''])
  expect(performance.now() - started).toBeLessThan(limits.idleMs / 2)
  const { socket, received } = await open()
  socket.write(get)
  expect(await received).toMatch(/^HTTP\/1\.1 200 /)
})

test('a process that ends does not wait for them', async () => {
  const { received } = await open()
  await delay(judgedMs)
  expect(await connections()).toBe(1)
  const started = performance.now()
  await lifecycle.stop()
  expect(performance.now() - started).toBeLessThan(limits.idleMs / 2)
  expect(await received).toBe('')
})
