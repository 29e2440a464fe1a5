import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { createSmsClient, type SmsClient } from '../sms-client.ts'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import { measureTimes } from './times-to-carrier.ts'

const bulkMessages = Number(process.env.BENCH_MESSAGES ?? 20_000)
const idleSamples = Math.min(400, bulkMessages)
const warmUpMessages = 200
const callers = 64
const text = 'Your code word is 1001.'

/**
 * The p99 from 202 to the carrier of a transactional SMS, idle and while a campaign drains. All times are from one clock.
 */
export function benchLanes(): Promise<object> {
  return withStack({ env: { all: { LOG_LEVEL: 'warn' } } }, async (stack) => {
    const client = createSmsClient(stack)
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    try {
      await warmUp(stack, client, database)
      const idle = await measure(stack, client, '+15550100001', (count) => count < idleSamples)
      print(`idle, ${idle.length} messages`, idle)
      const accepted = await client.postMany(bulkMessages, callers, (n) => ({
        to: `+1556${String(n).padStart(6, '0')}1`,
        body: text,
        priority: 'bulk',
      }))
      const before = await countQueued(database)
      let left = before
      const busy = await measure(
        stack,
        client,
        '+15550100002',
        () => left > 0,
        async () => {
          left = await countQueued(database)
        },
      )
      print(`while ${before} of ${accepted.length} bulk messages drain, ${busy.length} messages`, busy)
      return result(idle, busy)
    } finally {
      client.close()
      await database.end()
    }
  })
}

function result(idle: readonly number[], busy: readonly number[]): object {
  const [idleP99, busyP99] = [percentile(idle, 0.99), percentile(busy, 0.99)]
  const limitMs = 2 * idleP99 + 100
  console.log(`limit: twice the idle p99 plus 100 ms = ${limitMs.toFixed(1)} ms`)
  return {
    ratio: round(busyP99 / idleP99),
    within_limit: busyP99 <= limitMs,
    idle: summary(idle),
    draining: summary(busy),
    limit_ms: round(limitMs),
    bulk: bulkMessages,
  }
}

/** Excludes compilation, statement preparation and connecting from the measurement. */
async function warmUp(stack: Stack, client: SmsClient, database: pg.Pool): Promise<void> {
  const to = '+15550100000'
  for (const priority of ['transactional', 'bulk'] as const) {
    await client.postMany(warmUpMessages, 8, () => ({ to, body: text, priority }))
  }
  while ((await countQueued(database)) > 0) await delay(100)
  await measure(stack, client, to, (count) => count < 20)
}

const measure = (
  stack: Stack,
  client: SmsClient,
  to: string,
  goOn: (count: number) => boolean,
  look?: () => Promise<void>,
): Promise<number[]> => measureTimes(stack, to, goOn, () => client.post({ to, body: text }), look)

async function countQueued(database: pg.Pool): Promise<number> {
  const { rows } = await database.query(
    `select count(*)::int as count from dispatch.notifications where status = 'queued' and lane = 'bulk'`,
  )
  return rows[0].count
}

function print(title: string, times: readonly number[]): void {
  const { p50_ms, p99_ms, max_ms } = summary(times)
  console.log(`${title}: p50 ${p50_ms} ms, p99 ${p99_ms} ms, longest ${max_ms} ms`)
}

function summary(times: readonly number[]) {
  const tenth = (ms: number) => Math.round(ms * 10) / 10
  return {
    p50_ms: tenth(percentile(times, 0.5)),
    p99_ms: tenth(percentile(times, 0.99)),
    max_ms: tenth(Math.max(...times)),
    samples: times.length,
  }
}
