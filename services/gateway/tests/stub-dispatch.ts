import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from '@jest/globals'
import { type AcceptResult, newId } from '@notify/contracts'
import type { AcceptRequest } from '../src/dispatching/call-dispatch.ts'

/** What becomes of a call: its results, a connection that is reset once the call has been read, or no answer. */
type Answer = AcceptResult[] | 'reset' | 'silence'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A dispatch that answers each call by the ids of its items, until the test ends. */
export async function startStubDispatch(answerTo: (ids: string[]) => Answer) {
  const sizes: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as { items: { notification_id: string }[] }
    sizes.push(items.length)
    const answer = answerTo(items.map(({ notification_id }) => notification_id))
    if (answer === 'silence') return
    if (answer === 'reset') return request.socket.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ results: answer }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { sizes, server, port, url: `http://127.0.0.1:${port}` }
}

export function requestsFor(count: number, patienceMs = 2000): AcceptRequest[] {
  const untilMs = performance.now() + patienceMs
  return Array.from({ length: count }, () => ({
    requestId: newId('req'),
    principal: {} as AcceptRequest['principal'],
    item: { notification_id: newId('notif'), idempotency_key: undefined, traceparent: undefined },
    text: '{}',
    untilMs,
  }))
}
