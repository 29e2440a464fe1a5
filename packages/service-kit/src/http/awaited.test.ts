import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { anyone, carrier, defineRoute, NoContent, type Route } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { createTestKit, type TestKit } from '@notify/test-kit/kit'
import { Problem } from '../problem.ts'
import { passingTracer } from '../telemetry/tracing.ts'
import { requireAwaited } from './awaited.ts'
import { route } from './handler.ts'
import { mount } from './mount.ts'
import { OpenStreams } from './open-streams.ts'
import { createApp, listen } from './server.ts'
import { StalledReaders } from './stalled-readers.ts'

const store = defineRoute({
  name: 'store',
  service: 'dispatch',
  method: 'POST',
  path: '/internal/v1/things',
  summary: 'Stores a thing',
  auth: anyone,
  responses: { 204: NoContent },
  errors: [],
})
const receive = defineRoute({ ...store, name: 'receive', path: '/callbacks/things', auth: carrier })
const storeLater = defineRoute({ ...store, name: 'storeLater', path: '/internal/v1/later' })

let kit: TestKit
/** Doors of internal services, and of those that callers reach through the gateway. */
const ports = { internal: 0, edge: 0 }
type Side = keyof typeof ports
const stored: string[] = []
const refused: string[] = []

async function open(side: Side): Promise<void> {
  const app = createApp()
  const door = {
    ...kit,
    docsUrl: 'https://docs',
    edge: side === 'edge',
    tracer: passingTracer,
    authenticate(): never {
      throw new Problem('unauthenticated', 'Who?')
    },
    streams: new OpenStreams(kit),
    stalledReaders: new StalledReaders(kit.log),
    addressOf: () => '192.0.2.1',
    observe: () => {},
    refused: (code: string) => void refused.push(code),
  }
  const keep = (_context: object, { contract }: { contract: Route }) => void stored.push(contract.name)
  const exact = mount(app, door, {}, [
    route(store, keep),
    route(receive, keep),
    route(storeLater, async (context, request) => {
      // Counted from its receipt, so that the timeout of one that named 1 ms has passed.
      await delay(5)
      await requireAwaited(request.isAwaited)
      return keep(context, request)
    }),
  ])
  const { server } = await listen({ app, exact }, { host: '127.0.0.1', port: 0, docsUrl: 'https://docs' }, kit)
  ports[side] = (server.address() as AddressInfo).port
}

beforeAll(async () => {
  kit = createTestKit('dispatch')
  await open('internal')
  await open('edge')
})
afterAll(() => kit.stop())
beforeEach(() => {
  stored.length = 0
  refused.length = 0
})

const post = (side: Side, path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${ports[side]}${path}`, { method: 'POST', headers })

const callAndHangUp = `
  const { workerData: { port, path, done } } = require('node:worker_threads')
  const socket = require('node:net').connect(port, '127.0.0.1')
  socket.end('POST ' + path + ' HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\n\\r\\n', () => {
    socket.destroy()
    setImmediate(() => { Atomics.store(done, 0, 1); Atomics.notify(done, 0) })
  })`

/** Stops this thread, as a frozen process would, until a caller has sent its request and closed the connection. */
function standStillDuringCall(side: Side, path: string): void {
  const done = new Int32Array(new SharedArrayBuffer(4))
  new Worker(callAndHangUp, { eval: true, workerData: { port: ports[side], path, done } }).unref()
  expect(Atomics.wait(done, 0, 0, 30_000)).toBe('ok')
}

const sides = Object.keys(ports) as Side[]

test.each(sides)('a request whose caller hung up while the process stood still has no effect (%s)', async (side) => {
  standStillDuringCall(side, store.path)
  expect((await post(side, store.path)).status).toBe(204)
  expect({ stored, refused }).toEqual({ stored: ['store'], refused: ['service_unavailable'] })
})

test.each(sides)(
  'a callback is processed although its carrier hung up, because not all carriers repeat them (%s)',
  async (side) => {
    standStillDuringCall(side, receive.path)
    expect((await post(side, store.path)).status).toBe(204)
    // Either may be read first.
    await eventually(() => expect(stored.toSorted()).toEqual(['receive', 'store']))
  },
)

test.each(sides)('nothing is written once the timeout that the caller named has passed (%s)', async (side) => {
  const late = post(side, storeLater.path, { 'x-timeout-ms': '1' })
  const inTime = post(side, storeLater.path, { 'x-timeout-ms': '60000' })
  const unlimited = post(side, storeLater.path)
  expect([(await late).status, (await inTime).status, (await unlimited).status]).toEqual([503, 204, 204])
  expect(stored).toEqual(['storeLater', 'storeLater'])
})
