import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from '@jest/globals'
import { type ItemResult, newId } from '@notify/contracts'
import type { AcceptRequest } from '../src/dispatching/call-dispatch.ts'

/** What an item gets: its line, none although the call stays open, or none because the connection is reset after the others. */
export type StubAnswer = ItemResult | 'silence' | 'reset'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A dispatch that answers each item of a call until the test ends. */
export async function startStubDispatch(answerTo: (id: string) => StubAnswer) {
  const sizes: number[] = []
  const repeated: boolean[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as {
      items: { notification_id: string; repeated?: true }[]
    }
    sizes.push(items.length)
    repeated.push(...items.map((item) => item.repeated === true))
    const answers = items.map(({ notification_id }) => answerTo(notification_id))
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    const lines = answers.flatMap((answer, item) => (typeof answer === 'string' ? [] : [{ item, ...answer }]))
    await new Promise<void>((written) =>
      response.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), () => written()),
    )
    if (answers.includes('reset')) request.socket.destroy()
    else if (!answers.includes('silence')) response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { sizes, repeated, server, port, url: `http://127.0.0.1:${port}` }
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
