import { setTimeout as delay } from 'node:timers/promises'
import { type ChannelName, type Send, sendersOf } from '../channels.ts'
import { type Counts, each, largest, total } from '../counts/counts.ts'
import { cpuMsByGroup, ofServices, ofSystem } from '../counts/cpu-groups.ts'
import { readReportedCounts, reportedAfterMs } from '../counts/database-counts.ts'
import { type Counted, countDuring, readCounts, settleMs, withCounts } from '../counts/read-counts.ts'
import { createWalReader, readWalByRelation, readWalPosition } from '../counts/wal-by-relation.ts'
import { createJsonClient } from '../json-client.ts'
import { sendMany } from '../send-many.ts'
import { roundTo } from '../statistics.ts'
import { compareWithBudget, writeBudget } from './budget.ts'

const messages = Number(process.env.BENCH_MESSAGES ?? 3000)
const callers = 64
const idleSeconds = 20

/**
 * Counts the work for one message of each channel from its request to its receipt: rows, WAL, statements, messages of NATS,
 * wakes, writes, internal calls, CPU. `--check` compares it with budget.json, `--write` replaces the figures there.
 */
export function benchBudget(): Promise<object> {
  return withCounts(async (counted) => {
    const client = createJsonClient(counted.stack)
    try {
      const senders = await sendersOf(client, (n) => `${counted.stack.receiverUrl}/ok/budget-${n % 10}`)
      const only = process.env.BENCH_ONLY?.split(',') ?? Object.keys(senders)
      const chosen = Object.entries(senders).filter(([name]) => only.includes(name)) as [ChannelName, Send][]
      const channels: Record<string, object> = {}
      const idle = await measureIdle(counted)
      const budget: Record<string, Record<string, number>> = { idle }
      const warmUp = async () => {
        for (const [, send] of chosen) await run(counted, send, messages / 10)
      }
      await warmUp()
      // Otherwise autovacuum analyzes the new tables while the first channel is measured. The plans are then made again.
      await counted.database.query('analyze')
      await warmUp()
      await delay(reportedAfterMs)
      for (const [name, send] of chosen) {
        const counts = await measure(counted, send)
        budget[name] = totalsOf(counts)
        channels[name] = { ...budget[name], ...detailsOf(counts) }
        print(name, budget[name], counts)
      }
      if (process.argv.includes('--write')) writeBudget(budget)
      if (process.argv.includes('--check')) compareWithBudget(budget)
      return { messages, idle, channels }
    } finally {
      client.close()
    }
  })
}

/** The work of the idle system in a second. */
async function measureIdle(counted: Counted): Promise<Record<string, number>> {
  await delay(settleMs)
  const { counts, elapsedSeconds } = await countDuring(counted, idleSeconds)
  const second = each({}, counts, elapsedSeconds)
  const of = (value: number) => roundTo(value, 1)
  const idle = {
    transactions_idle: of(total(second, 'transactions')),
    statements_idle: of(total(second, 'statements')),
    switches_idle: of(ofSystem(second, 'switches')),
  }
  console.log(`idle, a second: ${listOf(idle)}; CPU in ms: ${listOf(cpuMsByGroup(second))}`)
  return idle
}

let serial = 0

function run({ database }: Counted, send: Send, count: number): Promise<void> {
  return sendMany(database, { count, callers, send: () => send(serial++) })
}

async function measure(counted: Counted, send: Send): Promise<Counts> {
  const reported = await readReportedCounts(counted.database)
  await counted.database.query(createWalReader)
  const position = await readWalPosition(counted.database)
  const before = await readCounts(counted)
  await run(counted, send, messages)
  const after = await readCounts(counted)
  await delay(reportedAfterMs)
  const rows = each(reported, await readReportedCounts(counted.database), messages)
  const wal = await readWalByRelation(counted.database, position)
  return { ...each(before, after, messages), ...rows, ...each({}, { wal_of: wal }, messages) }
}

/** Outboxes, tallies and counters that are written once for each batch. The outbox of otp has rows for each code. */
const tablesOfBatches: ReadonlySet<string> = new Set([
  'callbacks.outbox',
  'dispatch.outbox',
  'dispatch.tallies',
  'gateway.activity_buckets',
  'gateway.activity_totals',
  'gateway.api_request_counts',
  'gateway.usage_days',
  'gateway.usage_locales',
  'inbox_stream.outbox',
  'webhook_delivery.outbox',
])

/**
 * Rows of batches are left out. Their number depends on the speed of the machine, and a tolerance for that, an eighth of a code's
 * versions, would hide another row of each message.
 */
function rowVersionsOf({ inserts, updates, deletes }: Counts): number {
  const versions = [inserts, updates, deletes].flatMap((byTable) => Object.entries(byTable ?? {}))
  return versions.reduce((sum, [table, count]) => (tablesOfBatches.has(table) ? sum : sum + count), 0)
}

/** The figures of a budget: counts of one message, over all processes. */
function totalsOf(counts: Counts): Record<string, number> {
  const of = (kind: string, digits = 2) => roundTo(total(counts, kind), digits)
  return {
    row_versions: roundTo(rowVersionsOf(counts), 2),
    updates_not_hot: roundTo(total(counts, 'updates') - total(counts, 'hot_updates'), 2),
    wal_bytes: of('wal_bytes', 0),
    statements: of('statements'),
    plans: of('plans'),
    stored: of('stored'),
    stored_bytes: of('stored_bytes', 0),
    delivered: of('delivered'),
    nats_in: of('nats_in'),
    nats_out: of('nats_out'),
    nats_bytes: of('nats_bytes', 0),
    calls: of('calls'),
    switches: roundTo(ofSystem(counts, 'switches'), 1),
    writes: roundTo(ofServices(counts, 'writes'), 1),
  }
}

function detailsOf(counts: Counts): object {
  const rows = Object.keys(counts.inserts ?? {}).map((table) => [table, rowsOf(counts, table)] as const)
  return {
    rows: Object.fromEntries(rows.filter(([, text]) => text !== '0 + 0 + 0, 0 HOT')),
    wal_by_relation: largest(counts, 'wal_of', 20, 0),
    statements_by_role: largest(counts, 'statements', 0.05, 2),
    delivered_by_consumer: largest(counts, 'delivered', 0.005, 2),
    calls_by_process: largest(counts, 'calls', 0.005, 2),
    switches_by_process: largest(counts, 'switches', 0.05, 1),
    writes_by_process: largest(counts, 'writes', 0.05, 1),
    cpu_ms: cpuMsByGroup(counts),
    cpu_us_by_process: largest(counts, 'cpu_us', 10, 0),
  }
}

function rowsOf({ inserts, updates, deletes, hot_updates }: Counts, table: string): string {
  const of = (byTable: Record<string, number> | undefined) => roundTo(byTable?.[table] ?? 0, 2)
  return `${of(inserts)} + ${of(updates)} + ${of(deletes)}, ${of(hot_updates)} HOT`
}

function print(name: string, totals: Record<string, number>, counts: Counts): void {
  console.log(`\n${name}, for one message:`)
  for (const [kind, value] of Object.entries(totals))
    console.log(`  ${kind.padEnd(16)} ${value.toLocaleString('en').padStart(10)}`)
  for (const [title, value] of Object.entries(detailsOf(counts))) console.log(`  ${title}: ${listOf(value)}`)
}

const listOf = (value: unknown) =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, one]) => `${name} ${one}`)
        .join('; ')
    : String(value)
