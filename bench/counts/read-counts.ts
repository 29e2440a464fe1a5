import type { Stack, StackOptions } from '@notify/dev-env'
import pg from 'pg'
import { withStack } from '../with-stack.ts'
import { readCallCounts } from './call-counts.ts'
import type { Counts } from './counts.ts'
import { createStatements, readDatabaseCounts, statementSettings } from './database-counts.ts'
import { monitorSettings, readNatsCounts } from './nats-counts.ts'
import { readProcessCounts } from './process-counts.ts'

export interface Counted {
  stack: Stack
  database: pg.Pool
  /** Process ids of what the bench has started beside the stack. */
  beside: Record<string, number>
}

/** Runs the work with a stack whose servers count. */
export function withCounts<T>(env: StackOptions['env'], work: (counted: Counted) => Promise<T>): Promise<T> {
  const settings = { postgres: statementSettings, nats: monitorSettings }
  return withStack({ settings, ...(env ? { env } : {}) }, async (stack) => {
    const database = new pg.Pool({ connectionString: stack.adminDatabaseUrl, max: 1 })
    try {
      await database.query(createStatements)
      return await work({ stack, database, beside: {} })
    } finally {
      await database.end()
    }
  })
}

/** All counters that are exact at once; CPU time comes first, since reading the others costs some. */
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
