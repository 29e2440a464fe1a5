import { randomBytes } from 'node:crypto'
import { defineEvent, type WireEvent } from '@notify/contracts'
import { eventually, type TestEnv } from '@notify/dev-env'
import {
  type Bus,
  type ConsumerEntry,
  connectBus,
  consumer,
  type DeadLetter,
  type Delivery,
  provisionStream,
  publish,
  readNatsLogin,
  startConsumers,
} from '@notify/messaging'
import { z } from 'zod'
import { patient } from './bus.ts'
import { createTestKit, type TestKit } from './kit.ts'

/** An event with a unique subject, so that tests do not interfere. */
export function topic() {
  const name = `t${randomBytes(6).toString('hex')}`
  const event = defineEvent({
    publisher: 'consent',
    subject: `consent.${name}.{kind}`,
    schema: z.object({ kind: z.enum(['a', 'b']), n: z.number() }),
  })
  return { name, event, subject: `consent.${name}.a` }
}
export type Topic = ReturnType<typeof topic>

/** A process of a service, with its connection. */
export interface Process {
  kit: TestKit
  bus: Bus
}

export async function startProcess(env: TestEnv, url = env.stack.natsUrl): Promise<Process> {
  const kit = createTestKit('consent')
  const bus = await patient(await connectBus(kit, { login: readNatsLogin({ NATS_URL: url }), requiredForReady: true }))
  await provisionStream(bus, 'consent', 1)
  return { kit, bus }
}

/** Tries once to publish one message with these events. */
export function sendOnce({ bus }: Process, { subject }: Topic, numbers: readonly unknown[], id: string = newId()) {
  const events: WireEvent[] = numbers.map((n) => ({ event: { kind: 'a', n } }))
  return publish(bus, { id, subject, events: JSON.stringify(events) })
}

/** Publishes one message with these events, as a relay does: until it is confirmed, under one id, so that it is stored once. */
export function send(process: Process, topic: Topic, numbers: readonly unknown[], id: string = newId()) {
  return eventually(() => sendOnce(process, topic, numbers, id))
}

export const newId = () => randomBytes(8).toString('hex')

interface Handling {
  durable?: string
  concurrency?: number
  retry?: string[]
  keepDeadLetter?: (letter: DeadLetter) => Promise<void>
  ackWait?: string
  handle?: (n: number, delivery: Delivery) => Promise<void> | void
}

/** Starts a consumer of the topic and lists the numbers in order of handling. */
export function hear({ kit, bus }: Process, { name, event }: Topic, options: Handling = {}) {
  const handled: number[] = []
  const letters: DeadLetter[] = []
  const { durable = `consent-${name}`, concurrency = 8, retry = ['50ms'], handle, ackWait = '15s' } = options
  const entry = consumer<undefined, typeof event.schema>(event, {
    durable,
    concurrency,
    retry,
    ackWait,
    async handle(_context, { n }, delivery) {
      handled.push(n)
      await handle?.(n, delivery)
    },
  })
  startConsumers<undefined>(kit, bus, {
    context: undefined,
    consumers: [entry as ConsumerEntry<undefined>],
    deadLetters: {
      keep: options.keepDeadLetter ?? (async (letter) => void letters.push(letter)),
      dueInMs: async () => Number.POSITIVE_INFINITY,
      claimDue: async () => [],
      handled: async () => {},
      failed: async () => 'waiting',
      deleteSettled: async () => false,
    },
  })
  return { durable, handled, letters }
}
