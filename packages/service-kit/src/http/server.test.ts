import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { standStill } from '@notify/test-kit/standstill'
import { pino } from 'pino'
import { Lifecycle } from '../lifecycle.ts'
import { createBodyBudget } from './body-budget.ts'
import { readBody } from './read-body.ts'
import { createApp, listen, serverLimits } from './server.ts'

const large = Buffer.alloc(16 * 1024 * 1024)
const lifecycle = new Lifecycle(pino({ level: 'silent' }))
const sockets: Socket[] = []
const served: string[] = []
// As in production, a silence may last longer than a request.
const silenceMs = 2500
/** Node adds a second to the idle time. */
const limits = { ...serverLimits, headersMs: 500, requestMs: 2000, checkMs: 50, idleMs: 1000, silenceMs, lingerMs: 200 }
let server: Server
let port: number

beforeAll(async () => {
  const app = createApp()
  // A tenant takes half of it at most.
  const budget = createBodyBudget(128 * 1024)
  app.use((request, response, next) => {
    served.push(request.path)
    response.on('finish', () => served.push(`${request.path} answered`))
    response.on('close', () => served.push(`${request.path} closed`))
    next()
  })
  app.get('/large', (_request, response) => void response.end(large))
  app.get('/slow', async (_request, response) => {
    await delay(100)
    response.end('slow')
  })
  app.get('/stream', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write(': still here\n\n'), 100)
    response.on('close', () => clearInterval(timer))
  })
  app.post('/body', async (request, response) => {
    try {
      const share = budget('a', () => '')
      const body = await readBody(request, 512 * 1024, share)
      response.end(`${body.length} bytes`)
    } catch (error) {
      response.statusCode = (error as { status: number }).status
      response.end()
    }
  })
  ;({ server, port } = await listen(
    { app },
    { host: '127.0.0.1', port: 0, docsUrl: 'https://docs', limits: { ...limits, maxUnreadMs: 1000 } },
    { log: pino({ level: 'silent' }), lifecycle },
  ))
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await until(async () => (await connections()) === 0)
  served.length = 0
})
afterAll(() => lifecycle.stop())

/** A connection that only the server closes, and what it received. */
function converse(bytes: string | Buffer = '') {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  sockets.push(socket)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('end', resolve).once('close', () => resolve()))
  if (bytes.length > 0) socket.write(bytes)
  return { socket, ended, text: () => text }
}
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

/** Sends a byte every 20 ms until the connection is closed. */
function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('a'), 20)
  socket.on('close', () => clearInterval(timer))
}

test.each([
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: a\r\nX-'],
  ['a body that never ends', 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n'],
  ['a body in chunks that never ends', 'POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n'],
])(
  'a request of %s is answered 408 and its connection closed, though the caller never closes it',
  async (_what, head) => {
    const started = performance.now()
    const { socket, ended, text } = converse(head)
    drip(socket)
    await ended
    await until(async () => (await connections()) === 0)
    expect(text()).toMatch(/^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
    expect(performance.now() - started).toBeGreaterThan(450)
    expect(performance.now() - started).toBeLessThan(10_000)
  },
)

const lastGet = get('/slow', 'Connection: close\r\n')
test.each([
  ['a new connection', ''],
  ['a connection that is kept', get('/slow?1')],
])(
  'a request that arrives on %s while the process stands still is served, however long that takes',
  async (_which, before) => {
    const { socket, ended, text } = converse(before)
    await until(async () => (await connections()) === 1 && (before === '' || text().endsWith('slow')))
    // After an immediate, the event loop runs timers before it reads.
    await nextTurn()
    socket.write(lastGet)
    standStill(silenceMs + 500)
    await ended
    expect(text()).toMatch(/HTTP\/1\.1 200 (?:(?!HTTP).)*Connection: close.*slow$/s)
  },
)

test('a request whose rest arrives some time after a standstill is served', async () => {
  const head = 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n'
  const { socket, ended, text } = converse(`${head}x`)
  await until(() => served.length > 0)
  standStill(limits.requestMs)
  await delay(4 * limits.checkMs)
  socket.write('x')
  await ended
  expect(text()).toMatch(/2 bytes$/)
})

test('a standstill extends the time limits of requests before any timer runs', () => {
  standStill(500)
  expect(server.headersTimeout).toBeGreaterThan(limits.headersMs + 400)
  expect(server.requestTimeout).toBeGreaterThan(limits.requestMs + 400)
})

test('a client that does not read an answer is disconnected', async () => {
  const { socket } = converse(get('/large'))
  socket.pause()
  await until(() => served.includes('/large closed'))
  await until(async () => (await connections()) === 0)
})

test('a client that reads an answer byte by byte is disconnected too', async () => {
  const { socket } = converse(get('/large'))
  socket.pause()
  const timer = setInterval(() => socket.resume().once('data', () => socket.pause()), 50)
  await until(() => served.includes('/large closed'))
  clearInterval(timer)
  expect(socket.bytesRead).toBeLessThan(large.length)
})

test('a stream that goes on is not cut, however long', async () => {
  const { socket, text } = converse(get('/stream'))
  await until(() => (text().match(/still here/g)?.length ?? 0) > 40)
  expect(socket.destroyed).toBe(false)
})

test('requests that follow each other without waiting are answered one after another', async () => {
  const { ended, text } = converse(get('/slow?1') + get('/slow?2') + get('/slow?3', 'Connection: close\r\n'))
  await until(() => served.length > 0)
  expect(served).toEqual(['/slow'])
  await ended
  expect(text().match(/HTTP\/1\.1 200/g)).toHaveLength(3)
  const order = served.filter((line) => line !== '/slow closed')
  expect(order).toEqual(['/slow', '/slow answered', '/slow', '/slow answered', '/slow', '/slow answered'])
})

test('more of them than may wait close the connection', async () => {
  const { ended, text } = converse(get('/slow').repeat(serverLimits.maxWaiting + 2))
  await ended
  expect(text()).toBe('')
  expect(served.filter((path) => path === '/slow')).toHaveLength(1)
})

test('a body whose memory is used up by others is 503 with Retry-After, and is taken when there is some again', async () => {
  const head = (length: number) =>
    `POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`
  const half = converse(head(60_000) + 'x'.repeat(40_000))
  await until(() => served.length > 0)
  const send = async () => {
    const { ended, text } = converse(head(40_001) + 'x'.repeat(40_000))
    await delay(50)
    sockets.at(-1)!.write('x')
    await ended
    return text()
  }
  expect(await send()).toMatch(/^HTTP\/1\.1 503/)
  half.socket.write('x'.repeat(20_000))
  await half.ended
  expect(half.text()).toMatch(/60000 bytes$/)
  expect(await send()).toMatch(/40001 bytes$/)
})

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await condition()) && waited < 60_000; waited += 20) await delay(20)
  expect(await condition()).toBe(true)
}

const connections = () => promisify(server.getConnections.bind(server))()
