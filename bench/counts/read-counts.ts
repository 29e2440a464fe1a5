import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@notify/dev-env'
import pg from 'pg'
import { withStack } from '../with-stack.ts'
import { readCallCounts } from './call-counts.ts'
import { type Counts, each } from './counts.ts'
import { countedSettings, createStatements, readDatabaseCounts, readReportedCounts } from './database-counts.ts'
import { monitorSettings, readNatsCounts } from './nats-counts.ts'
import { readProcessCounts } from './process-counts.ts'

export interface Counted {
  stack: Stack
  database: pg.Pool
  /** Ids of the processes that the bench has started beside the stack. */
  beside: Record<string, number>
}

/** Without rate limits of sending, and with receivers on this machine. */
const env = {
  all: { LOG_LEVEL: 'warn', WEBHOOK_EGRESS_ALLOW: '127.0.0.0/8' },
  'dispatch-sender': { SEND_RATE: '100000' },
  otp: { SENDS_PER_MINUTE: '1000000' },
}

/** Runs the work with a stack whose servers count. */
export function withCounts<T>(work: (counted: Counted) => Promise<T>): Promise<T> {
  const settings = { postgres: countedSettings, nats: monitorSettings }
  return withStack({ settings, env }, async (stack) => {
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    try {
      await database.query(createStatements)
      return await work({ stack, database, beside: {} })
    } finally {
      await database.end()
    }
  })
}

/** Time until a newly started stack is idle. */
export const settleMs = 30_000

/** All counters that are exact at once. CPU time is read first, because reading the others costs CPU. */
export async function readCounts({ stack, database, beside }: Counted): Promise<Counts> {
  const processes = readProcessCounts({ ...(stack.pids as Record<string, number>), ...beside })
  const { user, system } = process.cpuUsage()
  processes.cpu_us!['this bench'] = user + system
  return {
    ...processes,
    ...(await readDatabaseCounts(database)),
    ...(await readNatsCounts(stack)),
    ...(await readCallCounts(stack)),
  }
}

/** Counts during the next seconds. Sessions report late at both ends. Statements are counted from zero. */
export async function countDuring(counted: Counted, seconds: number) {
  const read = async () => ({ ...(await readCounts(counted)), ...(await readReportedCounts(counted.database)) })
  await counted.database.query('select pg_stat_statements_reset()')
  const fromMs = performance.timeOrigin + performance.now()
  const before = await read()
  await delay(seconds * 1000)
  const toMs = performance.timeOrigin + performance.now()
  return { counts: each(before, await read(), 1), elapsedSeconds: (toMs - fromMs) / 1000, fromMs, toMs }
}
