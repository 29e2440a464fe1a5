import { type ServiceName, schemaOf } from '@notify/contracts'

/** The server ends a statement after this time. */
const statementTimeoutMs = 3000

/** A statement waits this long for a lock, in milliseconds; shorter than its timeout, so that the wait gets its own error. */
export const lockTimeoutMs = 2000

/**
 * Services whose statements need plans with nested loops and ordered index scans. A connection keeps the plan that it
 * prepared while tables were small. A hash or merge join would later read whole tables, and a bitmap scan all rows where the
 * first are enough. tests/plans.test.ts of each service shows which statements need this.
 */
const indexWalksOnly: ReadonlySet<ServiceName> = new Set<ServiceName>(['dispatch', 'webhook-delivery'])

/**
 * Services whose statements always use the generic plan, because planning the claim of a message takes twice as long as
 * running it. Other services have statements that need plans for their parameters.
 */
const plannedOnce: ReadonlySet<ServiceName> = new Set<ServiceName>(['dispatch'])

/**
 * The settings of the sessions of a service's role, by name. The provisioning stores them with the role in the database: a
 * pooler refuses settings that come with a connection, and sessions of a pool are shared.
 */
export function sessionSettings(service: ServiceName): Readonly<Record<string, string>> {
  const forSmallTables = indexWalksOnly.has(service) ? 'off' : 'on'
  return {
    search_path: schemaOf(service),
    statement_timeout: inSeconds(statementTimeoutMs),
    lock_timeout: inSeconds(lockTimeoutMs),
    // Releases the locks of a process that has disappeared.
    idle_in_transaction_session_timeout: '10s',
    enable_seqscan: 'off',
    jit: 'off',
    enable_bitmapscan: forSmallTables,
    enable_hashjoin: forSmallTables,
    enable_mergejoin: forSmallTables,
    plan_cache_mode: plannedOnce.has(service) ? 'force_generic_plan' : 'auto',
  }
}

/**
 * Timeouts of the client for a connection and a response, in milliseconds. The second exceeds the statement timeout, so that
 * the server's error arrives and the connection can be used further.
 */
export const waits = { connectMs: 5000, answerMs: statementTimeoutMs + 1000 }

/** The same for background statements. */
export const longWaits = { statementTimeout: inSeconds(20_000), answerMs: 21_000 }

function inSeconds(ms: number): string {
  return `${ms / 1000}s`
}
