import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { end, type Reader, read, type Served, start } from './streams/processes.ts'

const many = 2000

let owner: Served
let edge: Served
const readers: Reader[] = []

/** A stalled reader is closed after 3 s instead of 30. */
const usual = { edge: { stalledMs: 3000, sweepMs: 100 } }

async function boot(limits: { owner?: object; edge?: object } = usual): Promise<void> {
  owner = await start('owner', { STREAM_LIMITS: JSON.stringify(limits.owner ?? {}) })
  edge = await start('edge', { OWNER_URL: owner.url, STREAM_LIMITS: JSON.stringify(limits.edge ?? {}) })
}
const isUp = ({ child }: Served) => child.exitCode === null && child.signalCode === null
const stop = () => Promise.all([edge, owner].map((served) => end(served)))

beforeAll(() => boot())
beforeEach(async () => {
  if (isUp(owner) && isUp(edge)) {
    // The streams of the test before end a moment after it.
    await eventually(async () => expect((await edge.stats()).open).toBe(0))
    return
  }
  await stop()
  await boot()
})
afterEach(async () => {
  for (const { request } of readers.splice(0)) request.destroy()
})
afterAll(stop)

async function open(options?: Parameters<typeof read>[1]): Promise<Reader> {
  const reader = await read(edge, options)
  readers.push(reader)
  return reader
}

const ofPage = { headers: { origin: 'https://shop.example.com' } }
/** What lets a page of any origin read a problem. */
const readable = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Request-Id, Retry-After',
}
const send = (length = 1) => fetch(`${owner.url}/parcel?length=${length}`)
const list = (search = '') => fetch(`${edge.url}/api/v1/parcels${search}`, { headers: { authorization: 'Bearer ada' } })
const problemOf = async (reader: Reader) => {
  await eventually(() => expect(reader.isOver()).toBe(true))
  return JSON.parse(reader.text())
}

test('a user reads events as they come, from the one after the last that it has', async () => {
  const reader = await open({ headers: { 'last-event-id': '41', 'x-request-id': 'mine' } })
  expect(reader.answer.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': 'mine',
  })
  await eventually(() => expect(reader.text()).toBe('id: 0\nevent: ready\ndata: {"user_id":"ada","after":"41"}\n\n'))
  await send()
  await eventually(() => expect(reader.text()).toContain('id: 1\nevent: parcel\ndata: {"text":"x"}\n\n'))
})

test("a refusal before the first byte is the owner's problem answer", async () => {
  const anonymous = await open({ headers: { authorization: '' } })
  expect([anonymous.answer.statusCode, anonymous.answer.headers['content-type']]).toEqual([
    401,
    'application/problem+json',
  ])
  expect(anonymous.answer.headers['www-authenticate']).toBe('Bearer')
  expect(await problemOf(anonymous)).toMatchObject({ code: 'unauthenticated', status: 401 })
  expect(await problemOf(await open({ search: '?fail=yes' }))).toMatchObject({ code: 'not_found' })
  const other = await fetch(`${edge.url}/api/v1/parcels/stream`, { method: 'POST', body: '{}' })
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await fetch(`${edge.url}/api/v1/parcels`)).status).toBe(401)
})

test('2000 open streams take nothing from requests, all hear of an event, and leave nothing behind', async () => {
  for (let opened = 0; opened < many; opened += 100) await Promise.all(Array.from({ length: 100 }, () => open()))
  expect((await edge.stats()).open).toBe(many)
  const answers = await Promise.all(Array.from({ length: 100 }, () => list()))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await send()
  const heard = () => readers.filter((reader) => reader.text().includes('event: parcel'))
  await eventually(() => expect(heard()).toHaveLength(many))
  for (const { request } of readers.splice(0)) request.destroy()
  await eventually(async () => expect((await owner.stats()).open).toBe(0))
  expect((await edge.stats()).open).toBe(0)
})

test('a reader that takes nothing is closed, with little in memory, and delays nobody', async () => {
  const idle = await open({ idle: true })
  const reader = await open()
  let buffered = 0
  let sent = 0
  await eventually(async () => {
    await send(512 * 1024)
    sent++
    buffered = Math.max(buffered, (await edge.stats()).buffered)
    expect((await edge.stats()).open).toBe(1)
  })
  // The data left in the stalled reader's buffers does not affect the others.
  await eventually(() => expect(reader.text().split('event: parcel').length - 1).toBe(sent))
  expect(buffered).toBeLessThan(4 * 1024 * 1024)
  idle.answer.resume()
})

test('an owner that stands still keeps its streams, and new ones are refused in time while it does', async () => {
  const reader = await open()
  owner.child.kill('SIGSTOP')
  const started = performance.now()
  const refused = await open()
  expect(refused.answer.statusCode).toBe(503)
  // 7 s, plus the delays of a busy machine.
  expect(performance.now() - started).toBeLessThan(15_000)
  expect((await edge.stats()).open).toBe(1)
  owner.child.kill('SIGCONT')
  await send()
  await eventually(() => expect(reader.text()).toContain('event: parcel'))
  expect(reader.isOver()).toBe(false)
})

test('an owner that is killed ends its streams at once', async () => {
  const all = await Promise.all(Array.from({ length: 50 }, () => open()))
  await end(owner)
  await eventually(() => expect(all.every((reader) => reader.isOver())).toBe(true))
  // Reset, so that readers notice the truncated event.
  expect(all.every(({ answer }) => !answer.complete)).toBe(true)
  await eventually(async () => expect((await edge.stats()).open).toBe(0))
  const { answer } = await open(ofPage)
  expect([answer.statusCode, answer.headers]).toEqual([503, expect.objectContaining(readable)])
})

test.each(['owner', 'edge'] as const)(
  'on SIGTERM the %s ends its streams at once, and answers the requests under way',
  async (name) => {
    const drained = name === 'owner' ? owner : edge
    const all = await Promise.all(Array.from({ length: 50 }, () => open()))
    await open({ idle: true })
    const slow = list('?wait_ms=5000')
    await eventually(async () => expect((await edge.stats()).open).toBe(51))
    await eventually(async () => expect((await owner.stats()).answering).toBe(1))
    const ended = once(drained.child, 'exit')
    drained.child.kill('SIGTERM')
    let isAnswered = false
    void slow.then(() => {
      isAnswered = true
    })
    await eventually(() => expect(all.every((reader) => reader.isOver())).toBe(true))
    expect(isAnswered).toBe(false)
    const waits = all.map((reader) => Number(/\n\nretry: (\d+)\n\n$/.exec(reader.text())?.[1]))
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1000)
    expect(Math.max(...waits)).toBeLessThan(10_000)
    expect(new Set(waits).size).toBeGreaterThan(25)
    expect((await slow).status).toBe(200)
    expect(await ended).toEqual([0, null])
  },
)

test('beyond the memory that streams may take new ones are refused with the time to retry', async () => {
  await stop()
  await boot({ owner: { beatMs: 300, sweepMs: 100 }, edge: { maxBytes: 3 * 48 * 1024 } })
  for (let opened = 0; opened < 3; opened++) expect((await open()).answer.statusCode).toBe(200)
  const refused = await open(ofPage)
  expect([refused.answer.statusCode, Number(refused.answer.headers['retry-after']) > 0]).toEqual([503, true])
  expect(refused.answer.headers).toMatchObject(readable)
  expect((await list()).status).toBe(200)
  readers[0]!.request.destroy()
  await eventually(async () => expect((await edge.stats()).open).toBe(2))
  expect((await open()).answer.statusCode).toBe(200)
})

test('a stream without events gets heartbeats, and is not ended for its silence', async () => {
  // The owner of the previous test sends a heartbeat every 300 ms.
  const reader = await open()
  await eventually(() => expect(reader.text().split(': keep-alive\n\n').length).toBeGreaterThan(3))
  expect(reader.isOver()).toBe(false)
})

test('a tenant whose streams take more than they leave free is refused further ones, and another tenant is not', async () => {
  await stop()
  await boot({ edge: { maxBytes: 10 * 48 * 1024 } })
  const openFor = async (tenant_id: string) => {
    const claims = Buffer.from(JSON.stringify({ tenant_id })).toString('base64url')
    const headers = { authorization: `Bearer e30.${claims}.signature` }
    return (await open({ headers })).answer
  }
  for (let opened = 0; opened < 6; opened++) expect((await openFor('ten_1')).statusCode).toBe(200)
  const refused = await openFor('ten_1')
  expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([503, true])
  expect((await openFor('ten_2')).statusCode).toBe(200)
})
