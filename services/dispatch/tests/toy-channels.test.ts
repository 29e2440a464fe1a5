import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { HandOff, type HandOffReport, newId, subjectFilter } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { openEvent, provisionConsumer } from '@notify/messaging'
import { parseKeyRing } from '@notify/privacy'
import { retry, untilActivity } from '@notify/test-kit/activity'
import { becomeDue, inAnHour, post, stateOf, untilState } from '@notify/test-kit/api'
import { openBus, storedMessages } from '@notify/test-kit/bus'
import { freshPhone, send } from '@notify/test-kit/sms'
import { toyDurable, toyHandedOver, toyReported } from './toy-channels/toy-channels.ts'

let env: TestEnv
let bus: Awaited<ReturnType<typeof openBus>>
let server: Server
const received: { path: string; body: Record<string, unknown> }[] = []
const keyRing = () => parseKeyRing(env.stack.state.encryption_keys)

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join(''))
    received.push({ path: request.url!, body })
    response.statusCode = request.url!.startsWith('/refuse') ? 410 : 200
    response.end()
  }).listen(0, '127.0.0.1')
  const main = 'services/dispatch/tests/toy-channels/main.ts'
  // The toys' events are nobody's in the contracts, so the users of NATS know nothing of them.
  const api: Record<string, string> = {}
  const worker: Record<string, string> = { STALLED_AFTER: '1s', RECEIPT_INQUIRIES: '2s' }
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    entries: { 'dispatch-api': main, 'dispatch-worker': main },
    env: { 'dispatch-api': api, 'dispatch-worker': worker },
    onStack({ wiring }) {
      for (const variables of [api, worker]) variables.NATS_URL = wiring.natsUrl
      addToyProvider(wiring.bootstrapFile, wiring.state.tenant_id)
    },
  })
  bus = await openBus(env)
  await provisionConsumer(bus, {
    publisher: 'dispatch',
    durable: toyDurable,
    filter: subjectFilter(toyHandedOver),
    ackWaitMs: 15_000,
    maxAckPending: 1000,
    unsyncedMs: 300_000,
  })
})
afterAll(async () => {
  await bus?.[Symbol.asyncDispose]()
  await env?.stop()
  server?.close()
})

function addToyProvider(file: string, tenant_id: string): void {
  const document = JSON.parse(readFileSync(file, 'utf8'))
  document.providers.push({
    provider_id: newId('prov'),
    tenant_id,
    application_id: null,
    channel: 'webhook',
    kind: 'toy',
    name: 'Toy',
    priority: 1,
    credentials: { secret: 'toy secret' },
  })
  writeFileSync(file, JSON.stringify(document))
}

const urlOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`

test('a toy channel sends an event through a toy carrier, and its refusals count', async () => {
  const data = { name: 'Ada', order: 'A-1' }
  const toy = { channel: 'webhook', event_key: 'order.shipped', data }
  const good = (await post(env, { ...toy, recipient: { url: urlOf('/good') } })).body.notification_id
  const bad = (await post(env, { ...toy, recipient: { url: urlOf('/refuse') } })).body.notification_id
  await untilState(env, good, { delivery_status: 'sent', channel: 'webhook', credits: 7 })
  await untilActivity(env, bad, { status: 'failed', failure_reason: 'The toy answered 410', retryable: false })
  const [only, ...more] = received.filter(({ path }) => path === '/good')
  expect([only?.body, more]).toEqual([{ text: 'Ada', secret: 'toy secret', notification_id: good }, []])
})

test('a toy channel’s rules are the answer: a recipient that it cannot read is 422', async () => {
  const { status, body } = await post(env, { channel: 'webhook', body: 'Hi', recipient: {} })
  expect([status, body.code]).toEqual([422, 'invalid_recipient'])
})

interface Taken {
  handOff: HandOff
  ack(): void
}

/** The next hand-off that the toy's service is given. */
async function takeHandOffs(): Promise<Taken[]> {
  const consumer = await bus.js.consumers.get('DISPATCH', toyDurable)
  const message = await consumer.next({ expires: 5000 })
  if (!message) return []
  const events = message.json<{ event: unknown }[]>()
  return events.map(({ event }) => ({ handOff: HandOff.parse(event), ack: () => message.ack() }))
}

/** Takes the hand-off of this count of retries; one whose report is late comes again. */
async function takeOne(id: string, retryCount = 0): Promise<HandOff> {
  const found = await eventually(async () => {
    const taken = await takeHandOffs()
    for (const { ack } of taken) ack()
    const own = taken.find(({ handOff }) => handOff.notification_id === id && handOff.retry_count === retryCount)
    expect(own).toBeDefined()
    return own!.handOff
  })
  return found
}

async function report(report: Partial<HandOffReport> & Pick<HandOffReport, 'notification_id' | 'status'>) {
  const event = { retry_count: 0, failure_reason: null, retryable: false, ...report }
  await bus.js.publish(toyReported.subject, JSON.stringify([{ event }]), { msgID: newId('msg') })
}

const inApp = { channel: 'in_app', recipient: 'ada-42', body: 'Your table is ready' }
const handOver = async (fields: object = {}): Promise<`notif_${string}`> => {
  const { status, body } = await post(env, { ...inApp, ...fields })
  expect([status, body.status]).toEqual([202, 'accepted'])
  return body.notification_id
}

/** What a hand-off says, as its receiver opens it. */
const contentOf = (handOff: HandOff) => openEvent(keyRing(), toyHandedOver, handOff)

test('a hand-off carries the sealed payload; it is queued until its service reports, then sent, then delivered', async () => {
  const id = await handOver()
  const handOff = await takeOne(id)
  expect(handOff).toMatchObject({ channel: 'in_app', lane: 'transactional', mode: 'live', retry_count: 0 })
  expect(contentOf(handOff)).toEqual({ channel: 'in_app', to: 'ada-42', text: 'Your table is ready' })
  const stored = (await storedMessages(bus, ['dispatch'])).map(({ text }) => text).join('\n')
  expect(stored).not.toContain('Your table')
  expect((await stateOf(env, id)).delivery_status).toBe('queued')
  await report({ notification_id: id, status: 'sent' })
  await untilState(env, id, { delivery_status: 'sent' })
  // The final report may be lost: what is not finished in time is handed over again.
  expect(await takeOne(id)).toMatchObject({ retry_count: 0, content: handOff.content })
  await report({ notification_id: id, status: 'delivered' })
  await untilActivity(env, id, { status: 'delivered', failure_reason: null })
  // What comes again, or later, changes nothing.
  await report({ notification_id: id, status: 'failed', failure_reason: 'late', retryable: true })
  const other = await handOver()
  await report({ notification_id: other, status: 'delivered' })
  await untilState(env, other, { delivery_status: 'delivered' })
  expect(await stateOf(env, id)).toMatchObject({ delivery_status: 'delivered', failure_reason: null })
})

test('a failed hand-off is handed over again when an operator retries it; reports on the first are ignored', async () => {
  const id = await handOver()
  const first = await takeOne(id)
  await report({ notification_id: id, status: 'failed', failure_reason: 'The inbox is full', retryable: true })
  await untilActivity(env, id, { status: 'failed', failure_reason: 'The inbox is full', retryable: true })
  expect((await retry(env, id)).status).toBe(202)
  const second = await takeOne(id, 1)
  expect(second).toEqual({ ...first, retry_count: 1, created_at: expect.any(String) })
  expect(contentOf(second)).toEqual(contentOf(first))
  await report({ notification_id: id, status: 'failed', failure_reason: 'late', retryable: false })
  await report({ notification_id: id, retry_count: 1, status: 'delivered' })
  await untilState(env, id, { delivery_status: 'delivered', failure_reason: null, retry_count: 1 })
})

test('a scheduled hand-off is handed over when it is due, and not before', async () => {
  const id = await handOver({ send_at: inAnHour() })
  expect((await stateOf(env, id)).delivery_status).toBe('scheduled')
  await becomeDue(env, id)
  expect((await takeOne(id)).retry_count).toBe(0)
  expect((await stateOf(env, id)).delivery_status).toBe('queued')
})

test('a hand-off that nobody reports on is handed over again once its durable has taken all', async () => {
  const id = await handOver()
  const first = await takeOne(id)
  const again = await takeOne(id)
  expect([again.retry_count, contentOf(again)]).toEqual([0, contentOf(first)])
  await report({ notification_id: id, status: 'delivered' })
  await untilState(env, id, { delivery_status: 'delivered' })
})

test('a service reports on notifications of its own channel alone', async () => {
  const sms = (await send(env, freshPhone('0008'))) as `notif_${string}`
  await untilState(env, sms, { delivery_status: 'sent' })
  await report({ notification_id: sms, status: 'delivered' })
  const own = await handOver()
  await report({ notification_id: own, status: 'delivered' })
  await untilState(env, own, { delivery_status: 'delivered' })
  expect((await stateOf(env, sms)).delivery_status).toBe('sent')
})
