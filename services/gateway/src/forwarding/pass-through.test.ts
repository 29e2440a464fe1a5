import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { writeAnswer } from './pass-through.ts'

/** Answers with the status that the path names. */
const server = createServer(({ url, method }, response) => {
  const statusCode = Number(url!.slice(1))
  writeAnswer(response, { statusCode, headers: {}, text: statusCode === 200 && method !== 'HEAD' ? 'text' : '' })
})
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test.each([
  ['GET', 200, '4'],
  ['POST', 202, '0'],
  ['DELETE', 204, null],
  ['GET', 304, null],
  ['HEAD', 200, null],
])('a response to %s with status %d names the length of its own content alone', async (method, status, length) => {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${status}`, { method })
  expect([response.status, response.headers.get('content-length')]).toEqual([status, length])
  expect(response.headers.get('transfer-encoding')).toBeNull()
})
