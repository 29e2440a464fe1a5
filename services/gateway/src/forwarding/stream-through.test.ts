import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type Door, passingTracer } from '@notify/service-kit'
import express from 'express'
import { streamThrough } from './stream-through.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a body that the service refuses unread holds no connection: neither the caller’s, which serves on, nor its own', async () => {
  const refusing = Promise.withResolvers<Socket>()
  const target = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (head) => {
      if (!head.toString('latin1').startsWith('POST /refused')) {
        socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n')
        return
      }
      socket.pause()
      socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n')
      refusing.resolve(socket)
    })
  })
  const door = { tracer: passingTracer, docsUrl: '', edge: true } as unknown as Door
  const passing = streamThrough(door, `http://127.0.0.1:${await listening(target)}`)
  const port = await listening(createHttpServer(express().use(passing)))

  const caller = connect(port, '127.0.0.1')
  const rest = Buffer.alloc(4 * 1024 * 1024, 'x')
  const statuses: string[] = []
  const answered = Promise.withResolvers<void>()
  caller.on('data', (chunk) => {
    statuses.push(...[...chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!))
    if (statuses.length === 2) answered.resolve()
    else caller.write(Buffer.concat([rest, Buffer.from('GET /next HTTP/1.1\r\nHost: a\r\n\r\n')]))
  })
  caller.on('close', () => answered.reject(new Error('the connection closed before the second answer')))
  caller.write(`POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: ${rest.length + 1}\r\n\r\nx`)
  await answered.promise
  expect(statuses).toEqual(['413', '204'])
  caller.destroy()

  const refused = await refusing.promise
  refused.resume()
  if (!refused.closed) await once(refused, 'close')
})
