import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineRoute, internal } from '@notify/contracts'
import { z } from 'zod'
import { createInternalClient, type InternalClient } from './internal-client.ts'

const makeThings = defineRoute({
  name: 'makeThings',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/things',
  summary: 'Things',
  auth: internal,
  body: z.object({ names: z.array(z.string()) }),
  responseType: 'application/x-ndjson',
  responses: { 200: z.object({ name: z.string() }) },
  errors: [],
})

let server: Server
let client: InternalClient
let answer: (response: ServerResponse) => void

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => answer(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = createInternalClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Calls, and collects the lines in `lines`. */
function stream(lines: string[], { onLine = () => {}, timeoutMs = 5000 } = {}): Promise<void> {
  return client.stream(makeThings, { body: { names: [] }, timeoutMs }, ({ name }) => {
    lines.push(name)
    onLine()
  })
}

test('each line is given as soon as it arrives, however it is cut', async () => {
  const lines: string[] = []
  const first = Promise.withResolvers<void>()
  answer = async (response) => {
    response.write('{"name":"one"}\n{"na')
    await first.promise
    const [head, tail] = [Buffer.from('me":"Gr\u00fc').subarray(0, -1), Buffer.from('\u00fc').subarray(1)]
    response.write(head)
    setImmediate(() => response.end(Buffer.concat([tail, Buffer.from('\u00dfe"}\n')])))
  }
  await stream(lines, { onLine: () => first.resolve() })
  expect(lines).toEqual(['one', 'Grüße'])
})

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['breaks', (response) => response.write('{"name":"one"}\n', () => response.destroy()), /may have taken effect/],
  ['falls silent', (response) => void response.write('{"name":"one"}\n'), /may have taken effect/],
])('the lines before a call %s count, and the call fails without a repetition', async (_what, fault, said) => {
  let calls = 0
  answer = (response) => {
    calls += 1
    fault(response)
  }
  const lines: string[] = []
  await expect(stream(lines, { timeoutMs: 1500 })).rejects.toMatchObject({
    code: 'service_unavailable',
    message: expect.stringMatching(said),
    cause: { hasLeft: true },
  })
  expect([lines, calls]).toEqual([['one'], 1])
})

test('a refusal of the whole call is a problem', async () => {
  answer = (response) => {
    response.writeHead(429, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ type: 't', title: 'T', status: 429, code: 'rate_limited', detail: 'Wait' }))
  }
  const lines: string[] = []
  await expect(stream(lines)).rejects.toMatchObject({ code: 'rate_limited', message: 'Wait' })
  expect(lines).toEqual([])
})
