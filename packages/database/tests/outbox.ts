import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { defineEvent } from '@notify/contracts'
import type { TestEnv } from '@notify/dev-env'
import { type Bus, connectBus, readNatsLogin } from '@notify/messaging'
import { patient } from '@notify/test-kit/bus'
import { z } from 'zod'
import { enqueueEvents } from '../src/outbox/enqueue.ts'
import { type Process, startProcess } from './schema.ts'

export const numbered = defineEvent({
  publisher: 'consent',
  subject: 'consent.told.{kind}',
  schema: z.object({ kind: z.enum(['a', 'b']), n: z.number() }),
})

export interface BusProcess extends Process {
  bus: Bus
}

export async function startBusProcess(env: TestEnv): Promise<BusProcess> {
  const process = await startProcess(env)
  const login = readNatsLogin({ NATS_URL: env.stack.natsUrl })
  const bus = await connectBus(process.kit, { login, requiredForReady: false })
  return { ...process, bus: await patient(bus) }
}

/** Leaves one message for each number, in one transaction. */
export const enqueue = ({ db }: Process, numbers: readonly number[]) =>
  db.transaction(async (run) => {
    for (const n of numbers) await enqueueEvents(run, numbered, [{ event: { kind: 'a', n } }])
  })

export interface StoredMessage {
  seq: number
  subject: string
  messageId: string
  publicationId: string
  events: { event: { n: number }; traceparent?: string | null }[]
}

/** Everything that the stream holds, in its order. */
export async function stored({ bus }: BusProcess): Promise<StoredMessage[]> {
  const { state } = await bus.jsm.streams.info('CONSENT')
  const messages: StoredMessage[] = []
  for (let seq = Math.max(state.first_seq, 1); seq <= state.last_seq; seq++) {
    const message = await bus.jsm.streams.getMessage('CONSENT', { seq })
    if (!message) continue
    messages.push({
      seq,
      subject: message.subject,
      messageId: message.header.get('Message-Id'),
      publicationId: message.header.get('Nats-Msg-Id'),
      events: message.json(),
    })
  }
  return messages
}

export const numbersIn = (messages: readonly StoredMessage[]) =>
  messages.flatMap(({ events }) => events.map(({ event }) => event.n))

/** nats-server loses its disk. */
export async function wipeNats(env: TestEnv): Promise<void> {
  await env.kill('nats')
  rmSync(join(env.stack.dataDir, 'nats', 'jetstream'), { recursive: true, force: true })
  await env.restart('nats')
}
