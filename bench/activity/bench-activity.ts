import http from 'node:http'
import { join } from 'node:path'
import { mintOperatorToken, type Stack } from '@notify/dev-env'
import { withForked } from '../forked.ts'
import { doMany } from '../json-client.ts'
import { percentile, round } from '../statistics.ts'
import { withStack } from '../with-stack.ts'
import { rareEvent, recipients, seedItems, timeOf } from './seed-items.ts'

const large = Number(process.env.BENCH_ITEMS ?? 1_000_000)
const small = Math.min(10_000, large)
const reads = Number(process.env.BENCH_READS ?? 200)
/** Each p99 is the median of so many rounds, so that a pause of the machine spoils one at most. */
const rounds = 5
const callers = 4
const limitMs = 50
const mostTimesSmall = 2

/**
 * Reads an activity of many items and one of 10,000: first pages, deep cursors, every filter and expensive combinations. Two
 * stacks take turns case by case, so that a machine that becomes slower slows both.
 */
export function benchActivity(): Promise<object> {
  const env = { all: { LOG_LEVEL: 'warn', RATE_LIMIT_KEY_PER_SECOND: '100000' } }
  const services = ['gateway', 'identity-provider'] as const
  const seeded = <T>(items: number, work: (stack: Stack) => Promise<T>) =>
    withStack({ services: [...services], env }, async (stack) => {
      await seedItems(stack, items)
      return work(stack)
    })
  return seeded(small, (few) =>
    seeded(large, async (many) => {
      const measured = await withReads(few, small, (fewReads) =>
        withReads(many, large, (manyReads) => takeTurns(fewReads, manyReads)),
      )
      const cases = Object.entries(measured).map(([name, { fewP99s, manyP99s }]) => {
        const [p99, smallP99] = [percentile(manyP99s, 0.5), percentile(fewP99s, 0.5)]
        return { name, p99_ms: round(p99), small_p99_ms: round(smallP99), ratio: round(p99 / smallP99) }
      })
      const ours = cases.filter(({ name }) => name !== yardstick)
      for (const measuredCase of cases) console.log(JSON.stringify(measuredCase))
      return {
        items: large,
        reads,
        rounds,
        worst_p99_ms: Math.max(...ours.map(({ p99_ms }) => p99_ms)),
        worst_ratio: Math.max(...ours.map(({ ratio }) => ratio)),
        yardstick_p99_ms: cases.find(({ name }) => name === yardstick)?.p99_ms,
        yardstick_ratio: cases.find(({ name }) => name === yardstick)?.ratio,
        holds: ours.every(({ p99_ms, ratio }) => p99_ms < limitMs && ratio <= mostTimesSmall),
      }
    }),
  )
}

const yardstick = 'yardstick'

function casesOf(stack: Stack, items: number): Record<string, Record<string, string>> {
  const at = (share: number) => timeOf(Math.floor(items * share)).toISOString()
  const { application_id } = stack.state
  const middle = { from: at(0.6), to: at(0.4) }
  return {
    'no filter': {},
    status: { status: 'failed' },
    'most common status': { status: 'delivered' },
    'rare status': { status: 'queued' },
    channel: { channel: 'webhook' },
    application: { application_id },
    mode: { mode: 'test' },
    event: { event_key: 'event.1.1' },
    'rare event': { event_key: rareEvent },
    recipient: { recipient: recipients.usual },
    'busy recipient': { recipient: recipients.busy },
    from: { from: at(0.3) },
    'from and to': middle,
    'status and channel': { status: 'undelivered', channel: 'in_app' },
    'status, channel, mode and application': { status: 'failed', channel: 'email', mode: 'test', application_id },
    'event and status': { event_key: 'event.1.1', status: 'failed' },
    'busy recipient and status': { recipient: recipients.busy, status: 'failed' },
    'status in a range': { status: 'failed', ...middle },
    'event in a range': { event_key: 'event.1.1', ...middle },
    'nothing matches': { status: 'failed', channel: 'in_app', event_key: rareEvent, mode: 'test' },
    'page 50': { page: '50' },
  }
}

/** Filters of which a late page is read too. */
const deep: Record<string, Record<string, string>> = {
  'deep cursor': {},
  'deep cursor, status': { status: 'failed' },
  'deep cursor, channel': { channel: 'email' },
  'deep cursor, event': { event_key: 'event.1.1' },
  'deep cursor, busy recipient': { recipient: recipients.busy },
}

/** Ranges of the same length for every number of items. */
const summaries: Record<string, Record<string, string>> = {
  'summary of a day': { from: new Date(timeOf(0).getTime() - 86_400_000).toISOString(), to: timeOf(0).toISOString() },
  'summary of 30 days': {
    interval: 'day',
    from: new Date(timeOf(0).getTime() - 30 * 86_400_000).toISOString(),
    to: timeOf(0).toISOString(),
  },
}

type Read = () => Promise<unknown>

/** Runs work with the read of each case; the last one is the yardstick's. */
async function withReads<T>(stack: Stack, items: number, work: (cases: Map<string, Read>) => Promise<T>): Promise<T> {
  const token = await mintOperatorToken(stack.url('identity-provider'), stack.state.operator)
  const client = createReader(stack.url('gateway'), { authorization: `Bearer ${token}` })
  const read = (path: string) => (query: Record<string, string>) =>
    client.get(`/api/v1/activity${path}?${new URLSearchParams(query)}`)
  const list = read('')
  const cases = new Map<string, Read>()
  for (const [name, query] of Object.entries(casesOf(stack, items))) cases.set(name, () => list(query))
  for (const [name, query] of Object.entries(deep)) {
    const last = { ...query, to: timeOf(Math.floor(items * 0.9)).toISOString() }
    const { next_cursor } = await list({ ...last, limit: '10' })
    cases.set(name, () => list({ ...last, ...(next_cursor ? { cursor: next_cursor } : {}) }))
  }
  for (const [name, query] of Object.entries(summaries)) cases.set(name, () => read('/summary')(query))
  process.env.BENCH_DATABASE_URL = stack.databaseUrl('gateway')
  process.env.BENCH_TENANT = stack.state.tenant_id
  try {
    return await withForked(join(import.meta.dirname, 'first-page-yardstick.ts'), async (port) => {
      const bare = createReader(`http://127.0.0.1:${port}`, {})
      cases.set(yardstick, () => bare.get('/'))
      try {
        return await work(cases)
      } finally {
        bare.close()
      }
    })
  } finally {
    client.close()
  }
}

interface P99s {
  fewP99s: number[]
  manyP99s: number[]
}

/** The p99 of each case in each round, in milliseconds. */
async function takeTurns(few: Map<string, Read>, many: Map<string, Read>): Promise<Record<string, P99s>> {
  const names = [...many.keys()]
  const measured = Object.fromEntries(names.map((name): [string, P99s] => [name, { fewP99s: [], manyP99s: [] }]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, readMany] of many) {
      const { fewP99s, manyP99s } = measured[name]!
      fewP99s.push(await p99Of(few.get(name)!))
      manyP99s.push(await p99Of(readMany))
    }
  }
  return measured
}

async function p99Of(read: () => Promise<unknown>): Promise<number> {
  const time = async () => {
    const startedMs = performance.now()
    await read()
    return performance.now() - startedMs
  }
  await doMany(Math.ceil(reads / 10), callers, time)
  return percentile(await doMany(reads, callers, time), 0.99)
}

/** A client with kept-alive connections; plain `node:http`, because it shares the machine. */
function createReader(baseUrl: string, headers: Record<string, string>) {
  const agent = new http.Agent({ keepAlive: true })
  return {
    get: (path: string) =>
      new Promise<{ next_cursor?: string | null }>((resolve, reject) => {
        const request = http.get(baseUrl + path, { agent, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.once('error', reject)
          response.once('end', () => {
            if (response.statusCode === 200) resolve(JSON.parse(text))
            else reject(new Error(`GET ${path} answered ${response.statusCode}: ${text}`))
          })
        })
        request.once('error', reject)
      }),
    close: () => agent.destroy(),
  }
}
