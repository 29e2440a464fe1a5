import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sendgridDomains } from './domains.ts'

const asked: { domain: string; custom_dkim_selector: string }[] = []
const server = createServer(async (request, response) => {
  const text = Buffer.concat(await request.toArray()).toString()
  response.writeHead(200, { 'content-type': 'application/json' })
  if (request.method === 'GET') return response.end('[]')
  if (request.url?.endsWith('/validate')) return response.end('{}')
  asked.push(JSON.parse(text))
  return response.end(JSON.stringify({ id: 1, domain: 'shop.example', valid: false, dns: {} }))
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('each account signs with a selector of its own, so that the records of two do not need the same names', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const key = { privateKey: '', mailFromRegion: null, proven: false }
  const identity = { domain: 'shop.example', selector: 'ours', mailFrom: 'bounce.shop.example', key, known: null }
  for (const api_key of ['SG.one', 'SG.two', 'SG.one'])
    await sendgridDomains.sync({ api_key, from: 'a@shop.example' } as never, identity, {
      timeoutMs: 5000,
      environment: { CARRIER_STAND_IN_URL: url },
    })
  const [first, second, again] = asked.map(({ custom_dkim_selector }) => custom_dkim_selector)
  expect(first).toMatch(/^[a-z0-9]{3}$/)
  expect(second).toMatch(/^[a-z0-9]{3}$/)
  expect([second === first, again]).toEqual([false, first])
})
