import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { numberIn } from '../channels.ts'

/** Receivers of webhooks, each on its own port, in one process. Reports its ports and, on request, the time of each message. */
const [, , cert = '', key = '', count = '1'] = process.argv
const arrivals = new Map<number, number>()
const options = { cert: readFileSync(cert), key: readFileSync(key), keepAliveTimeout: 65_000 }

const servers = Array.from({ length: Number(count) }, () =>
  createServer(options, async (request, response) => {
    const body = await text(request)
    const atMs = performance.timeOrigin + performance.now()
    response.writeHead(200).end('ok')
    const number = numberIn(body)
    if (number !== undefined && !arrivals.has(number)) arrivals.set(number, atMs)
  }).listen(0, '127.0.0.1'),
)
const ports = servers.map(async (server) => {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
})
process.send?.(await Promise.all(ports))
process.on('message', () => process.send?.([...arrivals]))
process.on('disconnect', () => process.exit())
