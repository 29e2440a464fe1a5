import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { createIssuerOrigins, originsIn } from './issuer-origins.ts'

const issuer = 'https://login.example/tenant'
const own = 'https://login.example'
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('endpoints at other origins than the issuer are allowed, each origin once', () => {
  const document = {
    token_endpoint: 'https://tokens.example:8443/token',
    userinfo_endpoint: 'https://api.example/userinfo',
    revocation_endpoint: 'https://tokens.example:8443/revoke',
  }
  expect(originsIn(issuer, document)).toEqual([own, 'https://tokens.example:8443', 'https://api.example'])
})

test.each([
  'http://tokens.example/token',
  'javascript:alert(1)',
  'data:text/plain,x',
  'https://*.example/token',
  "https://a;script-src'unsafe-inline'/token",
  'https://a,b/token',
  'tokens',
  '',
  7,
  null,
  { origin: 'https://tokens.example' },
])('an endpoint at %p opens nothing', (token_endpoint) => {
  expect(originsIn(issuer, { token_endpoint })).toEqual([own])
})

test('an issuer in development may have its endpoints at http', () => {
  const document = { token_endpoint: 'http://127.0.0.1:9/token', userinfo_endpoint: 'http://[::1]:9/me' }
  expect(originsIn('http://localhost:8', document)).toEqual([
    'http://localhost:8',
    'http://127.0.0.1:9',
    'http://[::1]:9',
  ])
})

test('the document is read once for the pages of one moment', async () => {
  let reads = 0
  const url = await serve((_request, response) => {
    reads++
    response.end(JSON.stringify({ token_endpoint: 'https://tokens.example/token' }))
  })
  const origins = createIssuerOrigins(url)
  const pages = await Promise.all([origins(), origins(), origins()])
  expect(pages).toEqual(Array(3).fill([url, 'https://tokens.example']))
  expect([await origins(), reads]).toEqual([[url, 'https://tokens.example'], 1])
})

test.each([
  ['refuses', (response: Parameters<RequestListener>[1]) => response.writeHead(500).end()],
  ['sends no object', (response: Parameters<RequestListener>[1]) => response.end('"text"')],
  ['never ends its document', (response: Parameters<RequestListener>[1]) => response.write(' '.repeat(300_000))],
])('an issuer that %s leaves its own origin allowed, and is asked again', async (_what, answer) => {
  let isWell = false
  const url = await serve((_request, response) => {
    if (isWell) response.end(JSON.stringify({ token_endpoint: 'https://tokens.example/token' }))
    else answer(response)
  })
  const origins = createIssuerOrigins(url)
  expect(await origins()).toEqual([url])
  isWell = true
  await eventually(async () => expect(await origins()).toEqual([url, 'https://tokens.example']))
})
