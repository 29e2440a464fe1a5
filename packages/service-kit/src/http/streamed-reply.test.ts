import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type BrokenOff, StreamedReply, sendStreamed } from './streamed-reply.ts'

const piece = 'x'.repeat(64 * 1024)
/** More than the buffers of a connection hold. */
const pieces = 512
/** Longer for `whole`: while this process gets no CPU, its reader takes nothing. */
const stalledAfterMs = (name: string) => (name === 'whole' ? 3000 : 1000)

let server: Server
/** What came of the last response. */
let sent: PromiseWithResolvers<BrokenOff>
let ended = 0

async function* endless(): AsyncGenerator<string> {
  while (true) yield piece
}
async function* whole(): AsyncGenerator<string> {
  for (let n = 0; n < pieces; n++) yield piece
}
async function* faulty(): AsyncGenerator<string> {
  yield piece
  throw new Error('the database is away')
}
/** Random digits, which gzip cannot make small. */
let made = 0
async function* random(): AsyncGenerator<string> {
  while (true) {
    made += piece.length
    yield randomBytes(piece.length / 2).toString('hex')
  }
}
const texts: Record<string, () => AsyncGenerator<string>> = { endless, whole, faulty, random }

beforeAll(async () => {
  server = createServer(async ({ url = '', headers }, response) => {
    const name = url.slice(1)
    const reply = new StreamedReply(texts[name]!(), {}, () => ended++)
    const gzip = headers['accept-encoding'] === 'gzip'
    sent.resolve(await sendStreamed(response, reply, {}, { stalledAfterMs: stalledAfterMs(name), gzip }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
beforeEach(() => {
  sent = Promise.withResolvers()
  ended = 0
})
afterAll(() => void server.close())

function ask(name: string, more = ''): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET /${name} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`)
  return socket
}

test('a reader that takes nothing is disconnected, and that is no fault of the text', async () => {
  const socket = ask('endless').pause()
  expect(await sent.promise).toEqual({ stalled: true })
  expect(ended).toBe(1)
  socket.destroy()
})

test('a slow reader gets everything, in more time than a silent one has', async () => {
  for (let tries = 1; ; tries++) {
    sent = Promise.withResolvers()
    ended = 0
    const socket = ask('whole')
    const began = performance.now()
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
      socket.pause()
      setTimeout(() => socket.resume(), 8)
    })
    const broken = await sent.promise
    // While this process gets no CPU, its reader takes nothing.
    if (broken.stalled && tries < 5) {
      socket.destroy()
      continue
    }
    expect(broken).toEqual({})
    expect(performance.now() - began).toBeGreaterThan(stalledAfterMs('whole'))
    await once(socket, 'close')
    expect(bytes).toBeGreaterThan(pieces * piece.length)
    expect(ended).toBe(1)
    return
  }
})

test('a compressed response is whole', async () => {
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/whole`, { headers: { 'accept-encoding': 'gzip' } })
  expect([answer.headers.get('content-encoding'), (await answer.text()).length]).toEqual([
    'gzip',
    pieces * piece.length,
  ])
})

test('a compressed response is made no faster than its reader takes it, and a silent reader is disconnected', async () => {
  made = 0
  const socket = ask('random', 'Accept-Encoding: gzip\r\n').pause()
  expect(await sent.promise).toEqual({ stalled: true })
  // The buffers of the connection, and a piece in each step.
  expect(made).toBeLessThan(16 * 1024 * 1024)
  socket.destroy()
})

test('a compressed text that fails cuts the connection', async () => {
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/faulty`, { headers: { 'accept-encoding': 'gzip' } })
    .then(
      (one) => one.text(),
      () => 'cut',
    )
    .catch(() => 'cut')
  expect([answer, await sent.promise]).toEqual(['cut', { fault: new Error('the database is away') }])
})

test('a response to HEAD is the header alone: no text is produced that nobody would read', async () => {
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/faulty`, { method: 'HEAD' }).then(
    ({ status }) => status,
    () => 'cut',
  )
  expect([answer, await sent.promise, ended]).toEqual([200, {}, 1])
})

test('a reader that leaves is no fault', async () => {
  const socket = ask('endless')
  await once(socket, 'data')
  socket.destroy()
  expect(await sent.promise).toEqual({})
  expect(ended).toBe(1)
})

test('a text that fails cuts the connection, and its fault is reported', async () => {
  const socket = ask('faulty').resume()
  expect(await sent.promise).toEqual({ fault: new Error('the database is away') })
  await once(socket, 'close')
  expect(ended).toBe(1)
})
