import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import type { Door } from '@notify/service-kit'
import express from 'express'
import { streamThrough } from './stream-through.ts'

const span = { traceparent: undefined, set() {}, end() {} }
const door = { tracer: { start: () => span }, docsUrl: 'https://docs', refused() {} } as unknown as Door
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('an answer that comes before the whole body leaves the caller a connection that works', async () => {
  const target = await listen(
    createServer((request, response) => {
      const isLarge = Number(request.headers['content-length'] ?? 0) > 0
      request.resume()
      response.writeHead(isLarge ? 413 : 200).end(isLarge ? 'too large' : 'fine')
    }),
  )
  const port = await listen(createServer(express().use(streamThrough(door, `http://127.0.0.1:${target}`))))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (body: Buffer) => {
    const length = body.length > 0 ? { 'content-length': body.length } : {}
    const request = httpRequest({ agent, port, host: '127.0.0.1', method: 'POST', headers: { ...length } })
    if (body.length > 0) request.end(body)
    else request.end()
    const [answer] = await once(request, 'response')
    return [answer.statusCode, await text(answer)]
  }
  expect(await ask(Buffer.alloc(8 * 1024 * 1024))).toEqual([413, 'too large'])
  expect(await ask(Buffer.alloc(0))).toEqual([200, 'fine'])
  agent.destroy()
})
