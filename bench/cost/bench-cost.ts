import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@nats-io/transport-node'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { cpuPerMessage, cpuTimes } from '../cpu-time.ts'
import { createJsonClient, type JsonClient } from '../json-client.ts'
import { sendMany } from '../send-many.ts'
import { withStack } from '../with-stack.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 3000)
const callers = 64

/** What one message of each channel costs from its request to its receipt: CPU time, WAL, and bytes at JetStream. */
export function benchCost(): Promise<object> {
  const env = {
    all: { LOG_LEVEL: 'warn' },
    'dispatch-sender': { SEND_RATE: '100000' },
    otp: { SENDS_PER_MINUTE: '1000000' },
  }
  return withStack({ env }, async (stack) => {
    const client = createJsonClient(stack)
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    const meters = { stack, database }
    try {
      const costs: Record<string, Cost> = {}
      for (const [name, send] of Object.entries(await sendersOf(client, stack))) {
        const sendOne = async (n: number) => {
          const { status, body } = await send(client, n)
          if (status !== 202 && status !== 200)
            throw new Error(`a request was answered ${status}: ${JSON.stringify(body)}`)
        }
        await sendMany(database, { count: messages / 10, callers, send: sendOne })
        const before = await read(meters)
        await sendMany(database, { count: messages, callers, send: sendOne })
        costs[name] = costOf(before, await read(meters))
        console.log(name, JSON.stringify(costs[name]))
      }
      return { messages, costs }
    } finally {
      client.close()
      await database.end()
    }
  })
}

interface Cost {
  cpu_us: number
  /** The processes that cost most. */
  cpu_us_by_process: Record<string, number>
  wal_bytes: number
  jetstream_messages: number
  jetstream_bytes: number
}

type Send = (client: JsonClient, n: number) => Promise<{ status: number; body: unknown }>

let serial = 0
const phone = () => `+1559${String(serial++).padStart(6, '0')}1`

/** A request of each channel; what it needs is made first. */
async function sendersOf(client: JsonClient, stack: Stack): Promise<Record<string, Send>> {
  const data = { name: 'Ada', order: 'A-1001' }
  const ofEvent =
    (channel: string, recipient: () => object): Send =>
    (client) =>
      client.post('/api/v1/notifications', { channel, event_key: 'order.shipped', recipient: recipient(), data })
  const optedIn = phone()
  await client.post('/api/v1/whatsapp/opt-ins', { phone_e164: optedIn, source: 'web_form' })
  const whatsapp = ofEvent('whatsapp', () => ({ phone: optedIn, opt_in_reference: 'bench' }))
  for (let tries = 0; (await whatsapp(client, 0)).status !== 202; tries++) {
    if (tries === 100) throw new Error('the template of order.shipped is not approved')
    await delay(200)
  }
  const text = { body: 'Your parcel is on its way.' }
  return {
    sms: ofEvent('sms', () => ({ phone: phone() })),
    email: ofEvent('email', () => ({ email: `customer${serial++}@example.com` })),
    whatsapp,
    in_app: (client, n) =>
      client.post('/api/v1/notifications', {
        channel: 'in_app',
        recipient: `user-${n % 100}`,
        title: 'Parcel',
        ...text,
      }),
    webhook: (client, n) =>
      client.post('/api/v1/notifications', {
        channel: 'webhook',
        recipient: { url: `${stack.receiverUrl}/ok/cost-${n % 10}` },
        data,
        ...text,
      }),
    otp: (client) => client.post('/api/v1/otp/send', { channel: 'sms', recipient: phone() }),
  }
}

interface Reading {
  cpu: Map<string, number>
  walBytes: number
  jetstream: { messages: number; bytes: number }
}

async function read({ stack, database }: { stack: Stack; database: pg.Pool }): Promise<Reading> {
  const { rows } = await database.query(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`)
  return { cpu: cpuTimes(stack), walBytes: rows[0].bytes, jetstream: await readStreams(stack) }
}

/** What all streams have taken so far, by their last sequences and mean sizes. */
async function readStreams(stack: Stack): Promise<{ messages: number; bytes: number }> {
  const { host, username, password } = new URL(stack.natsUrl)
  const connection = await connect({ servers: host, user: username, pass: decodeURIComponent(password) })
  const answer = await connection.request('$JS.API.STREAM.LIST', '{}')
  await connection.close()
  const { streams = [] } = answer.json<{
    streams?: { state: { messages: number; bytes: number; last_seq: number } }[]
  }>()
  return streams.reduce(
    ({ messages, bytes }, { state }) => ({
      messages: messages + state.last_seq,
      bytes: bytes + (state.messages > 0 ? (state.bytes / state.messages) * state.last_seq : 0),
    }),
    { messages: 0, bytes: 0 },
  )
}

function costOf(before: Reading, after: Reading): Cost {
  const spent = cpuPerMessage(before.cpu, after.cpu, messages)
  spent.delete('this bench')
  const each = (value: number) => Math.round((value / messages) * 10) / 10
  return {
    cpu_us: Math.round([...spent.values()].reduce((sum, one) => sum + one, 0)),
    cpu_us_by_process: Object.fromEntries([...spent].map(([name, one]) => [name, Math.round(one)])),
    wal_bytes: each(after.walBytes - before.walBytes),
    jetstream_messages: each(after.jetstream.messages - before.jetstream.messages),
    jetstream_bytes: each(after.jetstream.bytes - before.jetstream.bytes),
  }
}
