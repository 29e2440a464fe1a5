import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { Lifecycle } from '../lifecycle.ts'
import { afterNextPoll } from '../loop-turns.ts'
import { createApp, listen } from './server.ts'

/** More than the buffers of a connection take. */
const large = Buffer.alloc(32 * 1024 * 1024, 'x')

let lifecycle: Lifecycle
let port: number
let finishSlow: () => void
const sockets: Socket[] = []

beforeEach(async () => {
  const log = pino({ level: 'silent' })
  lifecycle = new Lifecycle(log)
  const app = createApp()
  app.get('/', (_request, response) => void response.end('quick'))
  app.get('/large', (_request, response) => void response.end(large))
  app.get('/slow', (_request, response) => {
    finishSlow = () => response.end('slow')
    sockets[0]!.emit('begun')
  })
  ;({ port } = await listen({ app }, { host: '127.0.0.1', port: 0, docsUrl: 'https://docs' }, { log, lifecycle }))
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await lifecycle.stop()
})

/** A connection that stays open until the server closes it. */
async function open(): Promise<{ socket: Socket; get(path: string): void; answer(): Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  await once(socket, 'connect')
  return {
    socket,
    get: (path) => void socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`),
    answer: async () => String((await once(socket, 'data'))[0]),
  }
}

const isListening = () =>
  new Promise<boolean>((resolve) => {
    const probe = connect({ port, host: '127.0.0.1' })
    sockets.push(probe)
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })

const closing = /^HTTP\/1\.1 200 .*^connection: close/ims

test('once a process is asked to end, each response closes its connection, and connections without a request stay open', async () => {
  const [slow, idle] = [await open(), await open()]
  idle.get('/')
  expect(await idle.answer()).not.toMatch(closing)
  slow.get('/slow')
  await once(slow.socket, 'begun')
  lifecycle.drain()
  finishSlow()
  expect(await slow.answer()).toMatch(closing)
  const late = await open()
  late.get('/')
  expect(await late.answer()).toMatch(closing)
  idle.get('/')
  expect(await idle.answer()).toMatch(closing)
})

test('a response that its caller is still reading when the connections are closed arrives whole', async () => {
  const { socket, get } = await open()
  get('/large')
  await once(socket, 'readable')
  const stopped = lifecycle.stop()
  while (await isListening()) await afterNextPoll()
  let received = 0
  for await (const chunk of socket) received += chunk.length
  expect(received).toBeGreaterThan(large.length)
  await stopped
})

test('a request that has arrived when its connection is about to be closed as idle is answered', async () => {
  const { get, answer } = await open()
  get('/')
  await answer()
  const second = answer()
  get('/')
  const stopped = lifecycle.stop()
  expect(await second).toMatch(closing)
  await stopped
})
