import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { createJsonClient, doMany, type JsonClient } from '../json-client.ts'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import { slopePerHour } from './slope.ts'

const minutes = Number(process.env.BENCH_MINUTES ?? 30)
/** The rate; by default half of the measured rate of the pipeline. */
const fixedPerSecond = Number(process.env.BENCH_PER_SECOND ?? 0)
const calibration = Number(process.env.BENCH_MESSAGES ?? 5000)
const sampleMs = 10_000
const callers = 64
/** Share of the measured rate at which messages are sent. */
const share = 0.5
/** The first part, in which caches, pools and heaps fill, is excluded from the slopes. */
const warmUpShare = 0.25

/** The sampled values. One that grows with time is a leak. */
interface Sample extends Record<string, number> {
  accept_p99_ms: number
  /** Requests that were not accepted. */
  refused: number
  queued: number
  outbox_rows_waiting: number
  dead_rows: number
  rss_mb: number
}

/**
 * SMS at half of the rate of the whole pipeline, for half an hour: memory, dead rows, backlog and latency must stay level. The
 * slope of each is that of a line through its samples.
 */
export function benchSoak(): Promise<object> {
  const env = { all: { LOG_LEVEL: 'warn' }, 'dispatch-sender': { SEND_RATE: '100000' } }
  return withStack({ env }, async (stack) => {
    const client = createJsonClient(stack)
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    try {
      const perSecond = fixedPerSecond || share * (await calibrate(client, database))
      console.log(`${Math.round(perSecond)} messages a second for ${minutes} minutes`)
      const samples = await keepUp(stack, client, database, perSecond)
      return { per_second: Math.round(perSecond), minutes, ...slopesOf(samples) }
    } finally {
      client.close()
      await database.end()
    }
  })
}

let serial = 0

/** @returns its latency in milliseconds; undefined when it was refused */
async function sendOne(client: JsonClient): Promise<number | undefined> {
  const startedMs = performance.now()
  const recipient = { phone: `+1555${String(serial++ % 1_000_000).padStart(6, '0')}1` }
  const { status } = await client.post('/api/v1/notifications', {
    ...{ channel: 'sms', event_key: 'order.shipped', recipient },
    data: { name: 'Ada', order: 'A-1001' },
  })
  return status === 202 ? performance.now() - startedMs : undefined
}

async function countOpen(database: pg.Pool): Promise<number> {
  const { rows } = await database.query(
    `select count(*)::int as count from dispatch.notifications where status in ('queued', 'sent')`,
  )
  return rows[0].count
}

/** Messages a second from the first request to the last receipt, after a warm-up of as many. */
async function calibrate(client: JsonClient, database: pg.Pool): Promise<number> {
  let perSecond = 0
  for (let round = 0; round < 2; round++) {
    const startedMs = performance.now()
    const latencies = await doMany(calibration, callers, () => sendOne(client))
    if (latencies.includes(undefined)) throw new Error('requests were refused while the rate was measured')
    while ((await countOpen(database)) > 0) await delay(100)
    perSecond = (calibration * 1000) / (performance.now() - startedMs)
  }
  return perSecond
}

async function keepUp(stack: Stack, client: JsonClient, database: pg.Pool, perSecond: number): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedMs = performance.now()
  const endsMs = startedMs + minutes * 60_000
  let begun = 0
  let latencies: number[] = []
  let refused = 0
  let failure: unknown
  const underWay = new Set<Promise<unknown>>()
  for (let nextSampleMs = startedMs + sampleMs; performance.now() < endsMs && failure === undefined; ) {
    const due = Math.floor(((performance.now() - startedMs) * perSecond) / 1000)
    for (; begun < due; begun++) {
      const one = sendOne(client)
        .then((ms) => {
          if (ms === undefined) refused++
          else latencies.push(ms)
        })
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => underWay.delete(one))
      underWay.add(one)
    }
    if (performance.now() >= nextSampleMs) {
      samples.push(await sample(stack, database, { latencies, refused }))
      console.log(JSON.stringify(samples.at(-1)))
      latencies = []
      refused = 0
      nextSampleMs += sampleMs
    }
    await delay(5)
  }
  await Promise.all(underWay)
  if (failure !== undefined) throw failure
  return samples
}

async function sample(
  stack: Stack,
  database: pg.Pool,
  { latencies, refused }: { latencies: readonly number[]; refused: number },
): Promise<Sample> {
  const { rows } = await database.query(`
    select (select count(*) from dispatch.notifications where status = 'queued')::int as queued,
      (select count(*) from dispatch.outbox where published_at is null)::int as outbox_rows_waiting,
      (select sum(n_dead_tup) from pg_stat_user_tables)::int as dead_rows`)
  const rss = rssOf(stack)
  return {
    // A stalled machine accepts nothing.
    accept_p99_ms: latencies.length === 0 ? sampleMs : round(percentile(latencies, 0.99)),
    refused,
    ...rows[0],
    rss_mb: Math.round(Object.values(rss).reduce((sum, mb) => sum + mb, 0)),
    ...Object.fromEntries(Object.entries(rss).map(([name, mb]) => [`rss_mb of ${name}`, Math.round(mb)])),
  }
}

/** Resident memory of the Node processes and servers. Postgres is left out: its backends share most of theirs. */
function rssOf(stack: Stack): Record<string, number> {
  const pids = Object.entries(stack.pids).filter(([name]) => name !== 'postgres' && name !== 'carrier-sandbox')
  return Object.fromEntries(pids.map(([name, pid]) => [name, rssOfProcess(pid!)]))
}

function rssOfProcess(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/** For each value its median in the measured part, and its growth per hour relative to that. */
function slopesOf(samples: readonly Sample[]): object {
  const counted = samples.slice(Math.floor(samples.length * warmUpShare))
  const names = Object.keys(counted[0] ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const values = counted.map((one) => one[name]!)
      return [name, { median: percentile(values, 0.5), per_hour: round(slopePerHour(values, sampleMs)) }]
    }),
  )
}
