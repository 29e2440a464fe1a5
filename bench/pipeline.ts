import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Accepted, SmsClient, SmsRequest } from './sms-client.ts'

const longestMs = 300_000
const callers = 64

/** The result of a run through the pipeline. */
export interface Pipeline {
  accepted: readonly Accepted[]
  perSecond: number
}

/** From the first request until the activity shows the last message as delivered. */
export async function runPipeline(
  client: SmsClient,
  database: pg.Pool,
  count: number,
  messageOf: (n: number) => SmsRequest,
): Promise<Pipeline> {
  const already = await countDelivered(database)
  const startedMs = performance.now()
  const accepted = await client.postMany(count, callers, messageOf)
  const acceptedMs = performance.now() - startedMs
  while ((await countDelivered(database)) < already + count) {
    if (performance.now() - startedMs > longestMs) break
    await delay(20)
  }
  const deliveredMs = performance.now() - startedMs
  console.log(`  accepted after ${seconds(acceptedMs)}, delivered after ${seconds(deliveredMs)}`)
  return { accepted, perSecond: (count / deliveredMs) * 1000 }
}

/** Reads the counters of the activity, at constant cost. */
async function countDelivered(database: pg.Pool): Promise<number> {
  const { rows } = await database.query(
    `select coalesce(sum(count), 0)::int as count from gateway.activity_totals where event_key = '' and status = 'delivered'`,
  )
  return rows[0].count
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
