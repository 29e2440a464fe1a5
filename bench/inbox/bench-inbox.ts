import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 500)
const large = Number(process.env.BENCH_NOTIFICATIONS ?? 100_000)
const reads = 50
const limitMs = 50

/** The time from the 202 to the client's event, and reads of an inbox of 100,000 notifications, which must stay under 50 ms. */
export function benchInbox(): Promise<object> {
  const services = [
    'gateway',
    'dispatch-api',
    'dispatch-worker',
    'inbox-stream',
    'carrier-sandbox',
    'identity-provider',
  ] as const
  return withStack({ services, env: { all: { LOG_LEVEL: 'warn' } } }, async (stack) => {
    const latencies = await measureLatency(stack)
    const inbox = await measureLargeInbox(stack)
    return {
      messages,
      p50_ms: round(percentile(latencies, 0.5)),
      p99_ms: round(percentile(latencies, 0.99)),
      notifications: large,
      ...inbox,
      holds: Object.values(inbox).every((ms) => ms < limitMs),
    }
  })
}

async function call(stack: Stack, method: string, path: string, token: string, body?: object) {
  const response = await fetch(stack.url('gateway') + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.json() as Promise<Record<string, string>>
}

async function tokenOf(stack: Stack, user_id: string): Promise<string> {
  const { token } = await call(stack, 'POST', '/api/v1/in-app/tokens', stack.state.keys.all.api_key, { user_id })
  return token!
}

/** Milliseconds from each 202 to its event, one message at a time. An event may arrive before its 202. */
async function measureLatency(stack: Stack): Promise<number[]> {
  const token = await tokenOf(stack, 'ada')
  const arrived = new Map<string, number>()
  const closing = new AbortController()
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const response = await fetch(`${stack.url('gateway')}/api/v1/in-app/stream`, { headers, signal: closing.signal })
  void (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      for (const [, title = ''] of chunk.matchAll(/"title":"(\w+)"/g)) arrived.set(title, performance.now())
    }
  })().catch(() => {})
  const latencies: number[] = []
  for (let at = 0; at < messages; at++) {
    const title = `m${at}`
    const message = { channel: 'in_app', recipient: 'ada', title, body: 'Hello' }
    await call(stack, 'POST', '/api/v1/notifications', stack.state.keys.all.api_key, message)
    const acceptedMs = performance.now()
    while (!arrived.has(title)) await delay(1)
    latencies.push(Math.max(0, arrived.get(title)! - acceptedMs))
  }
  closing.abort()
  return latencies.slice(Math.min(50, messages / 2))
}

/** Copies one notification of a user many times, and measures the reads of that inbox. */
async function measureLargeInbox(stack: Stack): Promise<Record<string, number>> {
  const token = await tokenOf(stack, 'bob')
  const message = { channel: 'in_app', recipient: 'bob', title: 'One', body: 'Hello' }
  await call(stack, 'POST', '/api/v1/notifications', stack.state.keys.all.api_key, message)
  const database = new pg.Client({ connectionString: stack.databaseUrl('inbox-stream') })
  await database.connect()
  // The timeout of the role is for requests.
  await database.query('set statement_timeout = 0')
  const find = () => database.query(`select id, inbox_key from inbox_items order by created_at desc limit 1`)
  let row = (await find()).rows[0]
  const isHis = async () =>
    (await database.query('select last_seq from inboxes where key = $1', [row.inbox_key])).rows[0].last_seq === 1
  while (!(await isHis())) {
    await delay(20)
    row = (await find()).rows[0]
  }
  // Contents of copies cannot be decrypted, because the AAD contains the id, so the newest hundred are real.
  await database.query(
    `insert into inbox_items (id, tenant_id, inbox_key, notification_id, seq, touched_seq, content)
     select 'copy_' || n, tenant_id, inbox_key, 'copy_' || n, n, n, content
     from inbox_items, generate_series(2, $2::int) n where id = $1`,
    [row.id, large],
  )
  await database.query('update inboxes set last_seq = $2, unread_count = $2 where key = $1', [row.inbox_key, large])
  await database.query('analyze inbox_items')
  for (let at = 0; at < 100; at++) {
    await call(stack, 'POST', '/api/v1/notifications', stack.state.keys.all.api_key, message)
  }
  const count = async () => Number((await call(stack, 'GET', '/api/v1/inbox/unread-count', token)).unread_count)
  while ((await count()) < large + 100) await delay(50)
  const time = async (work: () => Promise<unknown>) => {
    const all: number[] = []
    for (let at = 0; at < reads; at++) {
      const startedMs = performance.now()
      await work()
      all.push(performance.now() - startedMs)
    }
    return round(percentile(all, 0.99))
  }
  const readAll = () => call(stack, 'POST', '/api/v1/inbox/read-all', token, {})
  const startedMs = performance.now()
  const timed = {
    list_p99_ms: await time(() => call(stack, 'GET', '/api/v1/inbox?limit=100', token)),
    list_unread_p99_ms: await time(() => call(stack, 'GET', '/api/v1/inbox?limit=100&unread_only=true', token)),
    count_p99_ms: await time(count),
  }
  const beforeMs = performance.now()
  await readAll()
  const read_all_ms = round(performance.now() - beforeMs)
  const list_none_unread_p99_ms = await time(() =>
    call(stack, 'GET', '/api/v1/inbox?limit=100&unread_only=true', token),
  )
  console.log(`read the inbox of ${large} for ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  await database.end()
  return { ...timed, read_all_ms, list_none_unread_p99_ms }
}
