import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { cpuPerMessage, cpuTimes, printCpu } from '../cpu-time.ts'
import { createJsonClient, doMany, type JsonClient } from '../json-client.ts'
import { round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 20_000)
const recipients = Math.min(2000, messages)
const callers = 64
const wantedPerMinute = 20_000
const longestMs = 300_000

const phoneOf = (n: number) => `+1558${String(n % recipients).padStart(6, '0')}1`

/**
 * Template messages to recipients who have opted in, from the first request until the activity shows the last one delivered.
 * Consent is checked twice for each. The yardstick is the target rate.
 */
export function benchWhatsApp(): Promise<object> {
  const env = {
    all: { LOG_LEVEL: 'warn' },
    // The rate of the sender does not limit.
    'dispatch-sender': { SEND_RATE: '100000', WHATSAPP_CONCURRENCY: '256' },
  }
  return withStack({ env }, async (stack) => {
    const client = createJsonClient(stack)
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    try {
      await doMany(recipients, callers, (n) => optIn(client, phoneOf(n)))
      await untilAccepted(client)
      await sendMany(client, database, recipients)
      const before = cpuTimes(stack)
      const perMinute = await sendMany(client, database, messages)
      const spent = cpuPerMessage(before, cpuTimes(stack), messages)
      printCpu(spent)
      return {
        ratio: round(perMinute / wantedPerMinute),
        per_minute: Math.round(perMinute),
        consent_cpu_us: Math.round(spent.get('consent') ?? 0),
        messages,
        ...(await outcomeOf(stack, database)),
      }
    } finally {
      client.close()
      await database.end()
    }
  })
}

async function optIn(client: JsonClient, phone_e164: string): Promise<void> {
  const { status } = await client.post('/api/v1/whatsapp/opt-ins', { phone_e164, source: 'web_form' })
  if (status !== 201) throw new Error(`an opt-in got ${status}`)
}

const send = (client: JsonClient, n: number) =>
  client.post('/api/v1/notifications', {
    channel: 'whatsapp',
    recipient: { phone: phoneOf(n), opt_in_reference: 'bench' },
    event_key: 'order.shipped',
    data: { name: 'Ada', order: `A-${n}` },
  })

/** Waits until the approval of the template is read from the carrier, soon after the start. */
async function untilAccepted(client: JsonClient): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await send(client, 0)
    if (status === 202) return
    await delay(200)
  }
  throw new Error('the template of order.shipped is not approved')
}

/** @returns messages a minute */
async function sendMany(client: JsonClient, database: pg.Pool, count: number): Promise<number> {
  await untilDelivered(database, await countAccepted(database))
  const already = await countAccepted(database)
  const startedMs = performance.now()
  await doMany(count, callers, async (n) => {
    const { status, body } = await send(client, n)
    if (status !== 202) throw new Error(`a message got ${status}: ${JSON.stringify(body)}`)
  })
  const acceptedMs = performance.now() - startedMs
  await untilDelivered(database, already + count)
  const deliveredMs = performance.now() - startedMs
  console.log(`  ${count} accepted after ${Math.round(acceptedMs)} ms, delivered after ${Math.round(deliveredMs)} ms`)
  return (count * 60_000) / deliveredMs
}

async function countAccepted(database: pg.Pool): Promise<number> {
  const { rows } = await database.query('select count(*)::int as count from dispatch.notifications')
  return rows[0].count
}

/** Reads the counters of the activity, at constant cost. */
async function untilDelivered(database: pg.Pool, count: number): Promise<void> {
  const deadlineMs = performance.now() + longestMs
  while (performance.now() < deadlineMs) {
    const { rows } = await database.query(
      `select coalesce(sum(count), 0)::int as count from gateway.activity_totals where event_key = '' and status = 'delivered'`,
    )
    if (rows[0].count >= count) return
    await delay(20)
  }
  throw new Error(`not all of ${count} messages were delivered within ${longestMs / 1000} s`)
}

async function outcomeOf(stack: Stack, database: pg.Pool): Promise<{ lost: number; duplicated: number }> {
  const { rows } = await database.query(
    `select count(*)::int as count from dispatch.notifications where status = 'delivered'`,
  )
  const accepted = await countAccepted(database)
  const response = await fetch(`${stack.url('carrier-sandbox')}/messages?limit=100000`)
  const { items } = (await response.json()) as { items: unknown[] }
  return { lost: accepted - rows[0].count, duplicated: items.length - accepted }
}
