import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Id, listInbox, newId, openPreferenceLink, sendOtp, verifyOtp } from '@notify/contracts'
import { type ApiResponse, eventually, TestEnv } from '@notify/dev-env'

/** More than the share of one owner. */
const flood = 200
const perSecond = 20
const [busy, neighbour, newcomer] = [newId('prov'), newId('prov'), newId('prov')]
/** The app that the numbers of many tenants share. */
const shared = 'cloud/shared'

/** Stands in for callbacks and the inbox: holds what is slow or of the busy provider, and refuses what is forged. */
let holds = true
const held: ServerResponse[] = []
/** The same for dispatch, of links of messages. */
const links: ServerResponse[] = []
/** The same for otp, of codes that are sent, or sent again. */
const codes: ServerResponse[] = []
const stub = createServer((request, response) => {
  request.resume()
  if (holds && request.url === openPreferenceLink.path) links.push(response)
  else if (holds && request.url!.endsWith('send')) codes.push(response)
  else if (request.url!.startsWith('/internal/')) response.writeHead(503).end()
  else if (request.headers.forged) response.writeHead(Number(request.headers.forged)).end()
  else if (holds && (request.headers.slow || request.url!.includes(busy))) held.push(response)
  else response.writeHead(200).end()
})

let env: TestEnv
beforeAll(async () => {
  stub.listen(0, '127.0.0.1')
  await once(stub, 'listening')
  const { port } = stub.address() as AddressInfo
  env = await TestEnv.start(['gateway'], {
    env: {
      gateway: {
        CALLBACKS_URL: `http://127.0.0.1:${port}`,
        DISPATCH_URL: `http://127.0.0.1:${port}`,
        INBOX_STREAM_URL: `http://127.0.0.1:${port}`,
        OTP_URL: `http://127.0.0.1:${port}`,
        TRUSTED_PROXIES: '127.0.0.0/8',
        RATE_LIMIT_ADDRESS_PER_SECOND: String(perSecond),
      },
    },
  })
})
afterAll(async () => {
  await env?.stop()
  stub.closeAllConnections()
  stub.close()
})

/** A callback about a message of a provider, or of the shared app, from an address of the carrier. */
const callback = async (to: string, headers: Record<string, string> = {}): Promise<number> => {
  const address = `/api/v1/callbacks/${to === shared ? to : `smsprovider/sms?provider_id=${to}`}`
  const from = { 'X-Forwarded-For': '203.0.113.77', ...headers }
  const response = await fetch(new URL(address, env.urls.gateway), { method: 'POST', headers: from, body: 'a=b' })
  await response.arrayBuffer()
  return response.status
}
const many = (count: number, ...one: Parameters<typeof callback>) =>
  Promise.all(Array.from({ length: count }, () => callback(...one)))

function release(): void {
  holds = false
  for (const response of held.splice(0)) response.writeHead(200).end()
  for (const response of links.splice(0)) response.writeHead(503).end()
  for (const response of codes.splice(0)) response.writeHead(200).end()
}

test(`${flood} callbacks of a tenant that are slow leave connections to a neighbour at the same address`, async () => {
  let all: Promise<number[]> | undefined
  // The gateway waits 7 s for callbacks: on a busy machine a round may take longer.
  await eventually(async () => {
    release()
    await all
    holds = true
    all = many(flood, busy)
    await eventually(() => expect(held.length).toBe(192), { timeoutMs: 5000 })
    expect(await many(50, neighbour)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(held.length).toBe(192)
    release()
    expect(new Set(await all)).toEqual(new Set([200]))
  })
})

test('an address at which the callbacks of a tenant fail still has room for those of others', async () => {
  expect(await callback(neighbour)).toBe(200)
  let slow: Promise<number[]> | undefined
  // Failures count for a second: on a busy machine a round may come too late.
  await eventually(async () => {
    release()
    await slow
    holds = true
    const failing = await many(2 * perSecond, busy, { forged: '403' })
    expect(new Set(failing)).toEqual(new Set([403, 429]))
    slow = many(10, busy)
    // A provider whose callbacks succeeded is not held to what others have done.
    expect(await many(50, neighbour)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(held.length).toBe(2)
  })
  expect(await callback(newcomer)).toBe(200)
  expect(held.length).toBe(2)
  release()
  expect(new Set(await slow)).toEqual(new Set([200]))
})

test('callbacks of the shared app are not held to what others at its address do', async () => {
  expect(await callback(shared)).toBe(200)
  let slow: Promise<number[][]> | undefined
  await eventually(async () => {
    release()
    await slow
    holds = true
    expect(new Set(await many(2 * perSecond, busy, { forged: '403' }))).toEqual(new Set([403, 429]))
    slow = Promise.all(Array.from({ length: 3 }, () => many(10, newId('prov'), { slow: 'yes' })))
    await eventually(() => expect(held.length).toBe(4), { timeoutMs: 500 })
    expect(await many(50, shared)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(held.length).toBe(4)
  })
  release()
  expect(new Set((await slow!).flat())).toEqual(new Set([200]))
})

test.each<[string, number, (at: number) => string]>([
  ['one address', 32, () => '203.0.113.78'],
  ['as many addresses', 64, (at) => `198.51.100.${at}`],
])(`${flood} links opened from %s leave connections to dispatch to API calls`, async (_from, most, addressOf) => {
  holds = true
  const link = new URL(`/u/${'a'.repeat(100)}`, env.urls.gateway)
  const open = (at: number) => fetch(link, { headers: { 'X-Forwarded-For': addressOf(at) } })
  const all = Promise.all(Array.from({ length: flood }, (_, at) => open(at)))
  await eventually(() => expect(links.length).toBe(most))
  expect((await env.api('GET', '/api/v1/templates', { token: env.operatorToken })).status).toBe(200)
  expect(links.length).toBe(most)
  release()
  expect(new Set((await all).map(({ status }) => status))).toEqual(new Set([503]))
})

test(`${flood} codes of a tenant that wait for dispatch delay none of its verifications`, async () => {
  const transaction_id = newId('otp')
  const send = () => env.api('POST', sendOtp.path, { body: { channel: 'sms', recipient: '+15551230001' } })
  const resend = () => env.api('POST', `/api/v1/otp/${transaction_id}/resend`)
  const verify = () => env.api('POST', verifyOtp.path, { body: { transaction_id, code: '123456' } })
  let all: Promise<ApiResponse[]> | undefined
  // Codes wait 5 s for those before them: on a busy machine a round may take longer.
  await eventually(async () => {
    release()
    await all
    holds = true
    all = Promise.all(Array.from({ length: flood }, (_, at) => (at % 2 === 0 ? send() : resend())))
    await eventually(() => expect(codes.length).toBe(32), { timeoutMs: 4000 })
    expect((await verify()).status).toBe(200)
    expect(codes.length).toBe(32)
    release()
    expect(new Set((await all).map(({ status }) => status))).toEqual(new Set([200]))
  })
})

/** A request of a user to the inbox. The stub does not verify the token. */
const readInbox = async (tenant_id: Id<'ten'>, address: string, headers: Record<string, string> = {}) => {
  const claims = Buffer.from(JSON.stringify({ tenant_id })).toString('base64url')
  const from = { 'X-Forwarded-For': address, authorization: `Bearer e30.${claims}.signature`, ...headers }
  const response = await fetch(new URL(listInbox.path, env.urls.gateway), { headers: from })
  await response.arrayBuffer()
  return response.status
}

test(`${flood} users of a tenant, each at another address, leave connections to the users of a neighbour`, async () => {
  const [crowded, quiet] = [newId('ten'), newId('ten')]
  let all: Promise<number[]> | undefined
  // Users wait 6 s for those before them: on a busy machine a round may take longer.
  await eventually(async () => {
    release()
    await all
    holds = true
    const read = (_: unknown, at: number) => readInbox(crowded, `198.51.100.${at}`, { slow: 'yes' })
    all = Promise.all(Array.from({ length: flood }, read))
    await eventually(() => expect(held.length).toBe(32), { timeoutMs: 5000 })
    expect(await readInbox(quiet, '203.0.113.79')).toBe(200)
    expect(held.length).toBe(32)
    release()
    expect(new Set(await all)).toEqual(new Set([200]))
  })
})

test('tokens that name a tenant, from an address at which they fail, take none of its share', async () => {
  const [named, address] = [newId('ten'), '203.0.113.80']
  const readMany = (count: number, headers: Record<string, string>) =>
    Promise.all(Array.from({ length: count }, () => readInbox(named, address, headers)))
  let slow: Promise<number[]> | undefined
  // Failures count for a second: on a busy machine a round may come too late.
  await eventually(async () => {
    release()
    await slow
    holds = true
    expect(new Set(await readMany(2 * perSecond, { forged: '401' }))).toEqual(new Set([401, 429]))
    slow = readMany(40, { slow: 'yes' })
    await eventually(() => expect(held.length).toBe(2), { timeoutMs: 5000 })
    const users = Array.from({ length: 50 }, (_, at) => readInbox(named, `198.51.100.${at}`))
    expect(await Promise.all(users)).toEqual(Array.from({ length: 50 }, () => 200))
    expect(held.length).toBe(2)
  })
  release()
  expect(new Set(await slow)).toEqual(new Set([200]))
})
