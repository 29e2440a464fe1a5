import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { type AcceptResult, newId } from '@notify/contracts'
import { createInternalClient, Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { type AcceptRequest, callDispatch } from './call-dispatch.ts'

const accepted: AcceptResult = { body: '{}' }
type Item = { notification_id: string }

function requestsFor(count: number, patienceMs = 2000): AcceptRequest[] {
  const untilMs = performance.now() + patienceMs
  return Array.from({ length: count }, () => ({
    requestId: newId('req'),
    principal: {} as AcceptRequest['principal'],
    item: { notification_id: newId('notif'), idempotency_key: undefined, traceparent: undefined },
    text: '{}',
    untilMs,
  }))
}

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A dispatch that responds to some calls, chosen by their items, and resets the others. */
async function dispatchThat(answers: (items: Item[]) => boolean) {
  const sizes: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { items } = JSON.parse(Buffer.concat(chunks).toString()) as { items: Item[] }
    sizes.push(items.length)
    if (!answers(items)) return request.socket.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ results: items.map(() => accepted) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { sizes, server, port, accept: acceptOver(`http://127.0.0.1:${port}`) }
}

function acceptOver(url: string) {
  const context = { signPrincipal: async () => 'signed', metrics: { acceptRepeated: () => {} } } as unknown as Context
  const dispatch = createInternalClient(url)
  return (requests: AcceptRequest[]) => callDispatch(context, requests, { dispatch, defers: false })
}

test('one request that brings dispatch to a stop takes its neighbours down once only', async () => {
  const requests = requestsFor(16)
  const bad = requests[5]!.item.notification_id
  const { sizes, accept } = await dispatchThat((items) => items.every(({ notification_id }) => notification_id !== bad))
  const results = await accept(requests)
  expect(results.map((result) => 'body' in result)).toEqual(requests.map((_one, index) => index !== 5))
  expect(results[5]).toBeInstanceOf(Problem)
  expect(sizes.filter((size) => size >= 8)).toEqual([16, 8, 8])
})

test('a call that never left is repeated whole', async () => {
  const { sizes, server, port } = await dispatchThat(() => true)
  server.close()
  await once(server, 'close')
  const results = acceptOver(`http://127.0.0.1:${port}`)(requestsFor(4, 8000))
  server.listen(port, '127.0.0.1')
  expect(await results).toEqual(Array(4).fill(accepted))
  expect(sizes).toEqual([4])
})

test('a dispatch that never answers costs the caller no more than its patience', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  ends.push(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const started = performance.now()
  const results = await acceptOver(`http://127.0.0.1:${port}`)(requestsFor(8, 1500)).catch((error: Error) => [error])
  expect(results.every((result) => result instanceof Problem)).toBe(true)
  expect(performance.now() - started).toBeLessThan(8000)
})
