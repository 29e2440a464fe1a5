import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ServiceName, serviceNames, streams } from '@notify/contracts'
import { TestEnv } from '@notify/dev-env'
import { type Bus, provisionConsumer, provisionStream, readPosition } from '@notify/messaging'
import { openBus } from '@notify/test-kit/bus'
import { consumersOf } from '../../scripts/service-declarations.ts'

let env: TestEnv
let bus: Bus & AsyncDisposable
beforeAll(async () => {
  env = await TestEnv.start([])
  bus = await openBus(env)
  for (const service of serviceNames) await provisionStream(bus, service, 1)
})
afterAll(async () => {
  await bus?.[Symbol.asyncDispose]()
  await env?.stop()
})

const settings = { ackWaitMs: 15_000, maxAckPending: 1000, unsyncedMs: 300_000 }

type Distortion = (info: Record<string, unknown>) => Record<string, unknown>

/** One of each kind of impossible answer. `read-position.test.ts` has every value of every field. */
const distortions: Record<string, Distortion> = {
  'a server with a corrupt state file': (info) => everySequence(info, 2 ** 64 - 1),
  'delivered.stream_seq is 2^53': (info) => inPair(info, 'delivered', { stream_seq: 2 ** 53 }),
  'delivered.stream_seq is 0': (info) => inPair(info, 'delivered', { stream_seq: 0 }),
  'no ack_floor': ({ ack_floor: _, ...info }) => info,
  'num_pending is 2^64-1': (info) => ({ ...info, num_pending: 2 ** 64 - 1 }),
  'beyond the stream': (info) => everySequence(info, 1_000_000),
}

const inPair = (info: Record<string, unknown>, pair: string, change: object) => ({
  ...info,
  [pair]: { ...(info[pair] as object), ...change },
})

function everySequence(info: Record<string, unknown>, given: unknown) {
  const pair = { consumer_seq: given, stream_seq: given }
  return { ...info, delivered: pair, ack_floor: pair }
}

/** A bus whose server reports altered information on its durables. */
function distorted(distort: Distortion): Bus {
  const consumers = Object.create(bus.jsm.consumers, {
    info: {
      value: async (stream: string, name: string) =>
        distort((await bus.jsm.consumers.info(stream, name)) as unknown as Record<string, unknown>),
    },
  })
  return { ...bus, jsm: Object.create(bus.jsm, { consumers: { value: consumers } }) }
}

/** Provisions a durable that has delivered three messages, of which the first was acknowledged. @returns the sequence of the second */
async function deliverThree(publisher: ServiceName, durable: string, filter: string): Promise<number> {
  const { name } = streams[publisher]
  await bus.jsm.consumers.delete(name, durable).catch(() => {})
  await provisionConsumer(bus, { publisher, durable, filter, ...settings })
  const source = await bus.js.consumers.get(name, durable)
  const sequences: number[] = []
  for await (const message of await source.fetch({ max_messages: 3, expires: 60_000 })) {
    if (sequences.push(message.seq) === 1) await message.ackAck()
  }
  expect(sequences).toHaveLength(3)
  // The next check records the acknowledged messages.
  await provisionConsumer(bus, { publisher, durable, filter, ...settings })
  return sequences[1]!
}

test.each(serviceNames)(
  'a durable of %s with an impossible position is provisioned and misses nothing',
  async (service) => {
    await Promise.all(
      (await consumersOf(service)).map(async ({ publisher, durable, filter }) => {
        for (let n = 0; n < 3; n++) await bus.js.publish(filter.replaceAll('*', durable), '[]')
        for (const [reported, distort] of Object.entries(distortions)) {
          const second = await deliverThree(publisher, durable, filter)
          const provisioned = await provisionConsumer(distorted(distort), { publisher, durable, filter, ...settings })
          const info = await bus.jsm.consumers.info(streams[publisher].name, durable)
          const isRepeated = readPosition(info)!.floor < second
          expect({ durable, reported, provisioned, isRepeated }).toEqual({
            ...{ durable, reported, provisioned: 'position_unknown', isRepeated: true },
          })
        }
      }),
    )
  },
)
