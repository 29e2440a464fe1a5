import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { standStill, startDistantServer } from '@notify/test-kit/standstill'
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
  const server = await startDistantServer({
    turns: [['\r\n\r\nx', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone']],
  })
  ends.push(() => void server.close())
  const startedMs = performance.now()
  const answer = exchange(new Pool(`http://127.0.0.1:${server.port}`), post, 3000)
  await server.standStillUntil(startedMs + 3500)
  expect(await answer).toMatchObject({ statusCode: 200, text: 'done' })
})

test('a request that had no connection when its time ended, while this process stood still, is not sent', async () => {
  const arrived: (string | undefined)[] = []
  const { pool } = await poolOf(({ url }, response) => {
    arrived.push(url)
    response.end('done')
  })
  const late = exchange(pool, post, 100)
  standStill(200)
  await expect(late).rejects.toMatchObject({ code: 'ENOTCONN', hasLeft: false })
  expect((await exchange(pool, { ...post, path: '/next' }, 5000)).text).toBe('done')
  expect(arrived).toEqual(['/next'])
})
