import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { withForked } from '../forked.ts'
import { createJsonClient, doMany, type JsonClient } from '../json-client.ts'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'

const bulkMessages = Number(process.env.BENCH_MESSAGES ?? 20_000)
const idleSamples = Math.min(300, bulkMessages)
const verifications = Math.min(4000, bulkMessages)
/** Interval of the samples, independent of answers. */
const everyMs = 100
const callers = 64
const code = '424242'

/** The last digit avoids the magic endings of the sandbox. */
let serial = 100_000
/** Each code has its own recipient, because a recipient may get only five codes in ten minutes. */
const nextPhone = () => `+1557${serial++}1`

/**
 * The time of a code from its 200 to the carrier, idle and while a campaign of SMS and email drains; and the rate of
 * verifications relative to a bare Express handler with the same UPDATE. All times are from one clock.
 */
export function benchOtp(): Promise<object> {
  return withForked(join(import.meta.dirname, 'code-carrier.ts'), (carrierPort) => {
    const carrierUrl = `http://127.0.0.1:${carrierPort}`
    const env = { all: { LOG_LEVEL: 'warn' }, 'dispatch-sender': { TWILIO_API_URL: carrierUrl } }
    return withStack({ env }, (stack) => measureCodes(stack, carrierUrl))
  })
}

async function measureCodes(stack: Stack, carrierUrl: string): Promise<object> {
  const client = createJsonClient(stack)
  const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
  try {
    await measure(carrierUrl, client, (count) => count < 50)
    const idle = await measure(carrierUrl, client, (count) => count < idleSamples)
    console.log('idle', summary(idle))
    await sendBulk(client)
    let left = await countQueued(database)
    const before = left
    const look = async () => {
      left = await countQueued(database)
    }
    const busy = await measure(carrierUrl, client, () => left > 0, look)
    console.log(`while ${before} of ${bulkMessages} bulk messages drain`, summary(busy))
    const verify = await compareVerifications(stack, client, database)
    return { ...latencies(idle, busy), verify, bulk: bulkMessages, bulk_left_at_start: before }
  } finally {
    client.close()
    await database.end()
  }
}

function latencies(idle: readonly number[], busy: readonly number[]): object {
  const [idleP99, busyP99] = [percentile(idle, 0.99), percentile(busy, 0.99)]
  const limitMs = 1.5 * idleP99 + 20
  return {
    ratio: round(busyP99 / idleP99),
    within_limit: busyP99 <= limitMs,
    limit_ms: round(limitMs),
    idle: summary(idle),
    draining: summary(busy),
  }
}

async function sendCode(client: JsonClient, recipient: string): Promise<{ id: string; atMs: number }> {
  const { status, body, atMs } = await client.post('/api/v1/otp/send', { channel: 'sms', recipient, code })
  if (status !== 200) throw new Error(`a code got ${status}: ${JSON.stringify(body)}`)
  return { id: body.transaction_id, atMs }
}

/** Half by SMS, half by email. */
async function sendBulk(client: JsonClient): Promise<void> {
  await doMany(bulkMessages, callers, async (n) => {
    const text = { body: 'The sale begins today.', priority: 'bulk' }
    const request =
      n % 2
        ? { channel: 'sms', recipient: `+1556${String(n).padStart(6, '0')}1`, ...text }
        : { channel: 'email', recipient: `customer${n}@example.com`, subject: 'Sale', ...text }
    const { status } = await client.post('/api/v1/notifications', request)
    if (status !== 202) throw new Error(`a bulk message got ${status}`)
  })
}

/** Sends a code at a fixed interval until stopped; the times from each 200 to the carrier, in milliseconds. */
async function measure(
  carrierUrl: string,
  client: JsonClient,
  goOn: (count: number) => boolean,
  look: () => Promise<void> = async () => {},
): Promise<number[]> {
  const samples: Promise<{ phone: string; atMs: number }>[] = []
  const startMs = performance.now()
  while (goOn(samples.length)) {
    const phone = nextPhone()
    samples.push(sendCode(client, phone).then(({ atMs }) => ({ phone, atMs })))
    if (samples.length % 10 === 0) await look()
    await delay(Math.max(startMs + samples.length * everyMs - performance.now(), 0))
  }
  const sent = await Promise.all(samples)
  const deadlineMs = performance.now() + 60_000
  for (;;) {
    const received = new Map((await readReceived(carrierUrl)).map(({ to, atMs }) => [to, atMs]))
    const missing = sent.filter(({ phone }) => !received.has(phone))
    if (missing.length === 0) return sent.map(({ phone, atMs }) => Math.max((received.get(phone) ?? 0) - atMs, 0))
    if (performance.now() > deadlineMs) throw new Error(`${missing.length} codes never reached the carrier`)
    await delay(250)
  }
}

async function readReceived(carrierUrl: string): Promise<{ to: string; atMs: number }[]> {
  const response = await fetch(carrierUrl)
  return (await response.json()) as { to: string; atMs: number }[]
}

async function countQueued(database: pg.Pool): Promise<number> {
  const { rows } = await database.query(
    `select count(*)::int as count from dispatch.notifications where status = 'queued' and lane = 'bulk'`,
  )
  return rows[0].count
}

/** Verifies each code once, at the service and at the yardstick, by the same client. */
async function compareVerifications(stack: Stack, client: JsonClient, database: pg.Pool): Promise<object> {
  const sent = await doMany(verifications, callers, () => sendCode(client, nextPhone()))
  const ids = sent.map(({ id }) => id)
  await database.query(`create table bench_codes (id text primary key, code text, attempts int default 0,
    expires_at timestamptz default now() + interval '1 hour', verified_at timestamptz)`)
  await database.query('insert into bench_codes (id, code) select id, $2 from unnest($1::text[]) as id', [ids, code])
  process.env.BENCH_DATABASE_URL = stack.adminDatabaseUrl
  const bare = await withForked(join(import.meta.dirname, 'update-yardstick.ts'), async (port) => {
    const yardstick = createJsonClient(stack, `http://127.0.0.1:${port}`)
    const rate = await rateOf(ids, (transaction_id) => yardstick.post('/', { transaction_id, code }))
    yardstick.close()
    return rate
  })
  const ours = await rateOf(ids, (transaction_id) => client.post('/api/v1/otp/verify', { transaction_id, code }))
  return { ratio: round(ours / bare), per_second: Math.round(ours), bare_per_second: Math.round(bare) }
}

async function rateOf(ids: readonly string[], verify: (id: string) => Promise<{ status: number }>): Promise<number> {
  const startMs = performance.now()
  const answers = await doMany(ids.length, callers, (n) => verify(ids[n]!))
  const refused = answers.filter(({ status }) => status !== 200).length
  if (refused > 0) throw new Error(`${refused} right codes were refused`)
  return (ids.length * 1000) / (performance.now() - startMs)
}

function summary(times: readonly number[]) {
  const tenth = (ms: number) => Math.round(ms * 10) / 10
  return { p50_ms: tenth(percentile(times, 0.5)), p99_ms: tenth(percentile(times, 0.99)), samples: times.length }
}
