import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

/**
 * The carrier of the codes, with Twilio's API. The sandbox is busy with the campaign's messages and receipts, whose delay would
 * be measured too. `GET` returns the received messages with their times.
 */
const received: { to: string; atMs: number }[] = []
const server = createServer(async (request, response) => {
  const atMs = Date.now()
  response.setHeader('content-type', 'application/json')
  if (request.method === 'GET') {
    response.end(JSON.stringify(received))
    return
  }
  received.push({ to: new URLSearchParams(await text(request)).get('To') ?? '', atMs })
  response.writeHead(201).end(JSON.stringify({ sid: `SM${randomBytes(16).toString('hex')}`, status: 'queued' }))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.(typeof address === 'object' && address ? address.port : 0)
})
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
})
