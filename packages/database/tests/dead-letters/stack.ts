import { expect } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { type ConsumerEntry, consumer, provisionStream, startConsumers } from '@notify/messaging'
import { type Topic, topic } from '@notify/test-kit/topic'
import { z } from 'zod'
import { createDeadLetterStore } from '../../src/dead-letters/dead-letter-store.ts'
import { runDeadLetterCommand } from '../../src/dead-letters/run-command.ts'
import { deadLetterTables } from '../../src/dead-letters/tables.ts'
import { type BusProcess, startBusProcess } from '../outbox.ts'
import { makeTables } from '../schema.ts'

export let env: TestEnv
export let one: BusProcess
export let own: Topic

export async function startServers(): Promise<void> {
  env = await TestEnv.start([])
  await makeTables(env, deadLetterTables)
}

export async function startEmpty(): Promise<void> {
  await env.sql('consent').query('truncate dead_letters')
  own = topic()
  await start()
}

export const run = (text: string, values: unknown[] = []) => env.sql('consent').query(text, values)
export const letters = async (columns = 'event_id, state, reason') =>
  (await run(`select ${columns} from dead_letters order by event_id`)).rows
/** Moves time: waiting letters are due now, and have the given age. */
export const due = (age = '0s') =>
  run(`update dead_letters set next_try_at = now(), retry_until = retry_until - $1::interval where state = 'waiting'`, [
    age,
  ])

async function start(): Promise<void> {
  one = await startBusProcess(env)
  await provisionStream(one.bus, 'consent', 1)
}

/** The next release, or the same one again. */
export async function restart(): Promise<void> {
  await one.kit.stop()
  await start()
}

export const newest = z.object({ kind: z.enum(['a', 'b', 'c']), n: z.number() })

/** A release of the service, with what it can read and what its handler does. */
export function serve(options: { schema?: z.ZodType; handle?: (n: number) => void; failingMs?: number } = {}) {
  const handled: { n: number; id: string }[] = []
  const event = { ...own.event, schema: options.schema ?? own.event.schema }
  const entry = consumer<undefined, z.ZodType>(event, {
    durable: `consent-${own.name}`,
    concurrency: 4,
    retry: ['50ms'],
    async handle(_context, payload, { eventId }) {
      const { n } = payload as { n: number }
      handled.push({ n, id: eventId })
      options.handle?.(n)
    },
  })
  startConsumers<undefined>(one.kit, one.bus, {
    context: undefined,
    consumers: [entry as ConsumerEntry<undefined>],
    deadLetters: createDeadLetterStore(one.kit, one.db),
    lettersEveryMs: 100,
    ...(options.failingMs !== undefined && { failingMs: options.failingMs }),
  })
  return handled
}

export const publish = (...events: unknown[]) =>
  one.bus.js.publish(own.subject, JSON.stringify(events.map((event) => ({ event }))))
export const settled = () =>
  eventually(async () => {
    const { num_pending, num_ack_pending } = await one.bus.jsm.consumers.info('CONSENT', `consent-${own.name}`)
    expect([num_pending, num_ack_pending]).toEqual([0, 0])
  })

/** `main.ts dead-letters …` */
export async function command(...args: string[]): Promise<Record<string, unknown>[]> {
  const lines: string[] = []
  const config = { DATABASE_URL: env.stack.databaseUrl('consent') }
  await runDeadLetterCommand(config, one.kit, args, (line) => void lines.push(line))
  return lines.map((line) => JSON.parse(line))
}
