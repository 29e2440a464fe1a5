import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Healthy, failing and hanging receivers in one process. Reports the lateness at the healthy ones, except `/sink`. */
const [, , cert = '', key = ''] = process.argv
let lateness: number[] = []

createServer(
  { cert: readFileSync(cert), key: readFileSync(key), keepAliveTimeout: 65_000 },
  async (request, response) => {
    const body = await text(request)
    if (request.url?.startsWith('/hang')) return
    if (request.url?.startsWith('/500')) return void response.writeHead(500).end()
    if (request.url?.startsWith('/sink')) return void response.writeHead(200).end('ok')
    const { data } = JSON.parse(body)
    lateness.push(Date.now() - Date.parse(data.occurred_at))
    response.writeHead(200).end('ok')
  },
).listen(0, '127.0.0.1', function (this: { address(): unknown }) {
  process.send!((this.address() as AddressInfo).port)
})

process.on('message', (message) => {
  process.send!(message === 'count' ? lateness.length : lateness)
  if (message === 'take') lateness = []
})
process.on('disconnect', () => process.exit())
