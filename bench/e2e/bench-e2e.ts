import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { clearCarrierLog, readCarrierLog } from '../carrier-log.ts'
import { cpuPerMessage, cpuTimes, printCpu } from '../cpu-time.ts'
import { withForked } from '../forked.ts'
import { type Pipeline, runPipeline } from '../pipeline.ts'
import { type Accepted, createSmsClient, type SmsClient, type SmsRequest } from '../sms-client.ts'
import { round } from '../statistics.ts'
import { addTranslatedEvent, translatedFields } from '../translated-event.ts'
import { withStack } from '../with-stack.ts'
import { sendWithBareSdk } from './bare-sdk.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 10_000)
const callers = 64
const warmUpMessages = messages
const sendRate = 100_000

const messageOf = (n: number) => ({
  to: `+1557${String(n).padStart(6, '0')}1`,
  body: `Your parcel ${n} is on its way.`,
})

const translatedOf = (n: number) => ({
  to: `+1558${String(n).padStart(6, '0')}1`,
  data: { name: 'Ada', order: `A-${n}` },
  ...translatedFields,
})

/**
 * The same messages through our pipeline and through a loop over the bare SDK, with the same sandbox and concurrency.
 * The yardstick runs before and after, because machine speed varies.
 */
export function benchEndToEnd(): Promise<object> {
  const env = {
    all: { LOG_LEVEL: 'warn' },
    // As many carrier connections as the bare loop has, beside claims and settlements in progress.
    'dispatch-sender': {
      SEND_RATE: String(sendRate),
      SEND_CONCURRENCY: String(4 * callers),
      CARRIER_CONNECTIONS: String(callers),
    },
  }
  console.log(
    `${messages} messages, ${callers} at a time; SEND_RATE=${sendRate} for the sender, so that its rate does not limit`,
  )
  return withStack({ env }, async (stack) => {
    const client = createSmsClient(stack)
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    try {
      await sendWithBareSdk(stack, warmUpMessages, callers, messageOf)
      await runPipeline(client, database, warmUpMessages, messageOf)
      const before = await measureBare(stack)
      const ours = await measurePipeline(stack, client, database)
      const after = await measureBare(stack)
      await addTranslatedEvent(stack)
      console.log('translated:')
      const translated = await measurePipeline(stack, client, database, translatedOf)
      return result(
        { ours, translated },
        (before.plain + after.plain) / 2,
        (before.withCallbacks + after.withCallbacks) / 2,
      )
    } finally {
      client.close()
      await database.end()
    }
  })
}

type Measured = Pipeline & Outcome

function result(
  { ours: { perSecond, lost, duplicated }, translated }: Record<'ours' | 'translated', Measured>,
  barePerSecond: number,
  withCallbacksPerSecond: number,
) {
  console.log(`ratio to the bare SDK: ${(perSecond / barePerSecond).toFixed(3)}`)
  console.log(
    `ratio to the bare SDK with callbacks sent and answered: ${(perSecond / withCallbacksPerSecond).toFixed(3)}`,
  )
  console.log(`lost ${lost}, duplicated ${duplicated}`)
  return {
    ratio: round(perSecond / barePerSecond),
    ratio_with_callbacks: round(perSecond / withCallbacksPerSecond),
    pipeline_per_second: Math.round(perSecond),
    translated_per_second: Math.round(translated.perSecond),
    ratio_translated: round(translated.perSecond / barePerSecond),
    translated_lost: translated.lost,
    translated_duplicated: translated.duplicated,
    bare_per_second: Math.round(barePerSecond),
    bare_with_callbacks_per_second: Math.round(withCallbacksPerSecond),
    messages,
    lost,
    duplicated,
  }
}

/** The bare loop without and with status callbacks, which cost the sandbox the same as for our pipeline. */
async function measureBare(stack: Stack): Promise<{ plain: number; withCallbacks: number }> {
  const before = cpuTimes(stack)
  const plain = await sendWithBareSdk(stack, messages, callers, messageOf)
  print('bare SDK', plain)
  printCpu(cpuPerMessage(before, cpuTimes(stack), messages))
  const withCallbacks = await withForked(join(import.meta.dirname, 'callback-yardstick.ts'), async (port) => {
    const rate = await sendWithBareSdk(stack, messages, callers, messageOf, `http://127.0.0.1:${port}/`)
    await untilNothingFollows(stack)
    return rate
  })
  print('bare SDK, with callbacks', withCallbacks)
  await clearCarrierLog(stack)
  return { plain, withCallbacks }
}

/** Waits for the last callback, so that the sandbox is idle in the next measurement. */
async function untilNothingFollows(stack: Stack): Promise<void> {
  for (let last = -1; ; ) {
    const now = cpuTimes(stack).get('carrier-sandbox') ?? 0
    if (now - last <= 10) return
    last = now
    await delay(300)
  }
}

async function measurePipeline(
  stack: Stack,
  client: SmsClient,
  database: pg.Pool,
  requestOf: (n: number) => SmsRequest = messageOf,
): Promise<Measured> {
  await clearCarrierLog(stack)
  const before = cpuTimes(stack)
  const pipeline = await runPipeline(client, database, messages, requestOf)
  print('our pipeline', pipeline.perSecond)
  printCpu(cpuPerMessage(before, cpuTimes(stack), messages))
  const outcome = await outcomeOf(stack, database, pipeline.accepted)
  await clearCarrierLog(stack)
  return { ...pipeline, ...outcome }
}

interface Outcome {
  /** Accepted, but not delivered according to both dispatch and the sandbox. */
  lost: number
  /** Received by the carrier more than once. */
  duplicated: number
}

async function outcomeOf(stack: Stack, database: pg.Pool, accepted: readonly Accepted[]): Promise<Outcome> {
  const received = (await readCarrierLog(stack)).map(({ notificationId }) => notificationId)
  const { rows } = await database.query(`select id from dispatch.notifications where status = 'delivered'`)
  const delivered = new Set(rows.map(({ id }) => id as string))
  const distinct = new Set(received)
  return {
    lost: accepted.filter(({ id }) => !delivered.has(id) || !distinct.has(id)).length,
    duplicated: received.length - distinct.size,
  }
}

function print(title: string, perSecond: number): void {
  console.log(`${title.padEnd(26)} ${Math.round(perSecond).toLocaleString('en').padStart(7)} messages/s`)
}
