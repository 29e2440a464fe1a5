import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from '@jest/globals'
import { Pool } from 'undici'
import { exchange } from './exchange.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A pool with one connection to a server with this listener, and the number of connections made. */
async function poolOf(listener: RequestListener): Promise<{ pool: Pool; made: () => number }> {
  let connections = 0
  const server = createServer(listener)
    .on('connection', () => connections++)
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 })
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { pool, made: () => connections }
}

/** A server in a thread of its own, which answers while the thread of the test stands still. */
const quickServer = `
  const server = require('node:http').createServer((request, response) => setTimeout(() => response.end('done'), 100))
  server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`

const post = { method: 'POST', path: '/', body: 'x' } as const

test('a caller that stopped waiting for a connection costs none: the next caller in line gets it', async () => {
  let arrived = 0
  const { pool, made } = await poolOf(async (_request, response) => {
    arrived++
    await delay(100)
    response.end('done')
  })
  const first = exchange(pool, post, 5000)
  const inVain = Promise.allSettled(Array.from({ length: 10 }, () => exchange(pool, post, 20)))
  const last = exchange(pool, post, 5000)
  for (const ended of await inVain) {
    expect(ended).toMatchObject({ reason: { code: 'ENOTCONN', hasLeft: false } })
  }
  expect([(await first).text, (await last).text]).toEqual(['done', 'done'])
  expect([arrived, made()]).toEqual([2, 1])
})

test.each<[string, { headers?: Record<string, string>; path?: string }]>([
  ['a header with a line break', { headers: { a: 'x\r\ny: z' } }],
  ['a path with a space', { path: '/a b' }],
])('%s is refused before anything has left', async (_what, wrong) => {
  const { pool, made } = await poolOf((_request, response) => void response.end())
  await expect(exchange(pool, { ...post, ...wrong }, 5000)).rejects.toMatchObject({ hasLeft: false })
  expect(made()).toBe(0)
})

test('a longer response than allowed is cut off there, with its connection', async () => {
  const { pool, made } = await poolOf((_request, response) => void response.end('x'.repeat(1000)))
  expect(await exchange(pool, post, 5000, { maxBytes: 10 })).toMatchObject({ statusCode: 200, text: 'x'.repeat(10) })
  expect((await exchange(pool, post, 5000, { maxBytes: 1000 })).text).toHaveLength(1000)
  expect(made()).toBe(2)
})

test('an answer that arrived while this process stood still counts, though its time is over', async () => {
  const server = new Worker(quickServer, { eval: true })
  ends.push(() => void server.terminate())
  const [port] = await once(server, 'message')
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  await exchange(pool, post, 5000)
  const answer = exchange(pool, post, 300)
  await delay(20)
  // From here the event loop runs timers before it reads.
  await nextTurn()
  const until = performance.now() + 1000
  while (performance.now() < until);
  expect(await answer).toMatchObject({ statusCode: 200, text: 'done' })
})
