import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type Door, passingTracer } from '@notify/service-kit'
import express from 'express'
import { streamThrough } from './stream-through.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

async function listening(handler: RequestListener): Promise<number> {
  const server = createServer(handler)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a body that the service refuses unread does not hold the connection: the next request on it is answered', async () => {
  const target = await listening((request, response) => {
    const isRefused = request.url === '/refused'
    response.writeHead(isRefused ? 413 : 204, isRefused ? { connection: 'close' } : {}).end()
  })
  const door = { tracer: passingTracer, docsUrl: '', edge: true } as unknown as Door
  const port = await listening(express().use(streamThrough(door, `http://127.0.0.1:${target}`)))

  const socket = connect(port, '127.0.0.1')
  const statuses: string[] = []
  const answered = Promise.withResolvers<void>()
  const rest = Buffer.alloc(4 * 1024 * 1024, 'x')
  socket.on('data', (chunk) => {
    const found = [...chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!)
    if (found.length === 0) return
    statuses.push(...found)
    if (statuses.length === 2) answered.resolve()
    else socket.write(Buffer.concat([rest, Buffer.from('GET /next HTTP/1.1\r\nHost: a\r\n\r\n')]))
  })
  socket.on('close', () => answered.reject(new Error('the connection closed before the second answer')))
  socket.write(`POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: ${rest.length + 1}\r\n\r\nx`)
  await answered.promise
  expect(statuses).toEqual(['413', '204'])
  socket.destroy()
})
