import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from '@nats-io/transport-node'
import { openForYardstick } from './sealed-yardstick.ts'

/** The yardstick: Server-Sent Events with node:http alone. Writes the NATS messages of a user to the user's streams, decrypted if sealed. */
const heartbeatMs = 15_000
const eventEnd = Buffer.from('\n\n')
const [, , servers = '', user = '', pass = ''] = process.argv
const streams = new Map<string, Set<ServerResponse>>()

const server = createServer((request, response) => {
  const name = (request.url ?? '').slice(1)
  const own = streams.get(name) ?? new Set()
  streams.set(name, own.add(response))
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.write('id: 0\nevent: connection.ready\ndata: {}\n\n')
  response.on('close', () => {
    own.delete(response)
    if (own.size === 0) streams.delete(name)
  })
})

const bus = await connect({ servers, user, pass })
bus.subscribe('bare.>', {
  callback(_error, message) {
    const text = message.string()
    for (const response of streams.get(message.subject.slice('bare.'.length)) ?? []) response.write(text)
  },
})
bus.subscribe('sealed.>', {
  callback(_error, { subject, data }) {
    const message = Buffer.from(data.buffer, data.byteOffset, data.length)
    const headEnd = 1 + message[0]!
    const text = Buffer.concat([message.subarray(1, headEnd), openForYardstick(message.subarray(headEnd)), eventEnd])
    for (const response of streams.get(subject.slice('sealed.'.length)) ?? []) response.write(text)
  },
})
await bus.flush()
setInterval(() => {
  for (const own of streams.values()) for (const response of own) response.write('event: heartbeat\ndata: {}\n\n')
}, heartbeatMs)
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send!((server.address() as AddressInfo).port),
)
process.on('disconnect', () => process.exit())
