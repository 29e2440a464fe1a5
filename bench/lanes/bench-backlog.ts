import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { cpuTimes } from '../cpu-time.ts'
import { createJsonClient, doMany } from '../json-client.ts'
import { createSmsClient, type SmsClient } from '../sms-client.ts'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import {
  addNeighbour,
  changeAccount,
  measureNeighbour,
  neighbourEnvironment,
  operatorToken,
  type Priority,
} from './neighbour.ts'

const backlog = Number(process.env.BENCH_MESSAGES ?? 1_000_000)
const samples = 120
const body = 'Your code word is 1001.'
const callers = 12
const batchSize = 100
const accepted = Math.min(backlog, 20_000)
const idleSeconds = 10
const pages = ['/api/v1/activity?limit=50', '/api/v1/activity/summary', '/api/v1/suppressions?limit=50']

interface World {
  stack: Stack
  database: pg.Pool
  neighbour: SmsClient
  /** A token of the neighbour's operator. */
  token: string
}

/**
 * A neighbour's p99 from 202 to the carrier, its pages, and the CPU time of the idle system: before, beside a large campaign of
 * another tenant that waits for its account, and while that campaign is sent.
 */
export function benchBacklog(): Promise<object> {
  const unlimited = { RATE_LIMIT_KEY_PER_SECOND: '1000000', RATE_LIMIT_TENANT_PER_SECOND: '1000000' }
  return withStack({ env: { all: { LOG_LEVEL: 'warn', ...unlimited, ...neighbourEnvironment } } }, async (stack) => {
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    const { apiKey, tenantId } = await addNeighbour(stack, database)
    const neighbour = createSmsClient(stack, apiKey)
    const token = operatorToken(stack, tenantId, ['activity:read', 'consents:read'])
    try {
      return await measureAll({ stack, database, neighbour, token })
    } finally {
      neighbour.close()
      await database.end()
    }
  })
}

async function measureAll(world: World): Promise<object> {
  const { stack, database } = world
  await changeAccount(stack, { rate_limit_per_second: 1 })
  for (const priority of ['transactional', 'bulk'] as const) await measureNeighbour(world, priority, samples)
  const before = await measureState(world)
  const begunMs = performance.now()
  await fill(world)
  console.log(`  ${backlog} messages wait after ${Math.round((performance.now() - begunMs) / 1000)} s`)
  const waiting = await measureState(world)
  await changeAccount(stack, { rate_limit_per_second: null })
  await delay(2000)
  const draining = await measureState(world)
  const [{ count }] = (
    await database.query(
      `select count(*)::int as count from dispatch.in_flight where lane = 'bulk' and status = 'queued'`,
    )
  ).rows
  const limit = (priority: Priority) => 1.5 * before[priority] + 20
  const within = (at: typeof before) => at.transactional <= limit('transactional') && at.bulk <= limit('bulk')
  return {
    backlog,
    left: count,
    ...{ before, waiting, draining },
    limit_ms: { transactional: round(limit('transactional')), bulk: round(limit('bulk')) },
    within_limit: within(waiting) && within(draining),
  }
}

/** The first messages are accepted as batches; the others, which are behind them in the queue, are copies of one in Postgres. */
async function fill({ stack, database }: World): Promise<void> {
  const client = createJsonClient(stack)
  await doMany(accepted / batchSize, callers, async (n) => {
    const requests = Array.from({ length: batchSize }, (_, at) => ({
      channel: 'sms',
      recipient: { phone: `+1557${String(n * batchSize + at).padStart(7, '0')}` },
      body,
      priority: 'bulk',
    }))
    const answer = await client.post('/api/v1/notifications/batch', { requests })
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
  })
  client.close()
  await untilPublished(database)
  const { rows } = await database.query(`select max(id) as id from dispatch.notifications where lane = 'bulk'`)
  await copy(database, 'dispatch.notifications', rows[0].id, `"enqueued_at" = now()`)
  await copy(database, 'gateway.activity', rows[0].id)
  await database.query('analyze dispatch.notifications, dispatch.in_flight, gateway.activity')
}

async function copy(database: pg.Pool, table: string, id: string, changed = ''): Promise<void> {
  const { rows } = await database.query(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> 'id'`,
    [table],
  )
  const [column, value] = changed.split(' = ')
  const names = rows.map(({ name }) => `"${name}"`)
  const values = names.map((name) => (name === column ? value : `one.${name}`))
  await database.query(
    `insert into ${table} (id, ${names.join(', ')})
     select left(one.id, 16) || lpad(i::text, 16, '0'), ${values.join(', ')}
     from ${table} one cross join generate_series(1, $1::int) as i where one.id = $2`,
    [backlog - accepted, id],
  )
}

async function untilPublished(database: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      `select exists (select from dispatch.outbox where published_at is null)
         or (select count(*) from gateway.activity) < (select count(*) from dispatch.notifications) as waits`,
    )
    if (!rows[0].waits) return
    await delay(1000)
  }
}

async function measureState(world: World) {
  const cpu = await measureIdle(world.stack)
  const slowestPage = await measurePages(world)
  const transactional = await measureNeighbour(world, 'transactional', samples)
  const bulk = await measureNeighbour(world, 'bulk', samples)
  const state = {
    transactional: round(transactional),
    bulk: round(bulk),
    cpu_percent: cpu,
    slowest_page_ms: slowestPage,
  }
  console.log(JSON.stringify(state))
  return state
}

/** CPU time of all processes, in percent of a core. */
async function measureIdle(stack: Stack): Promise<number> {
  const before = cpuTimes(stack)
  await delay(idleSeconds * 1000)
  const spent = [...cpuTimes(stack)]
    .filter(([name]) => name !== 'this bench' && name !== 'carrier-sandbox')
    .map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / idleSeconds / 10] as const)
  console.log(`  CPU: ${spent.map(([name, percent]) => `${name} ${round(percent)} %`).join(', ')}`)
  return round(spent.reduce((sum, [, percent]) => sum + percent, 0))
}

async function measurePages({ stack, token }: World): Promise<number> {
  const times: number[] = []
  for (const path of pages) {
    const each: number[] = []
    for (let n = 0; n < 10; n++) {
      const begunMs = performance.now()
      const response = await fetch(stack.url('gateway') + path, { headers: { authorization: `Bearer ${token}` } })
      await response.text()
      if (!response.ok) throw new Error(`${path} answered ${response.status}`)
      each.push(performance.now() - begunMs)
    }
    times.push(percentile(each, 0.9))
  }
  return round(Math.max(...times))
}
