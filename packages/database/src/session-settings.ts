/** A statement ends after this long, on the server's side. */
const statementTimeoutMs = 3000

/**
 * What every session of a service's role is set to, by name. The provisioning stores it with the role in the database: a
 * pooler refuses settings that come with a connection, and a session of a pool is not one of ours alone.
 *
 * A connection keeps the plan that it prepared while the tables were small. Without these settings such plans of claim, settle,
 * put back and receipts read whole tables later: services/dispatch/tests/plans.test.ts.
 */
export function sessionSettings(schema: string): Readonly<Record<string, string>> {
  return {
    search_path: schema,
    statement_timeout: inSeconds(statementTimeoutMs),
    // Shorter, so that whoever waits for a row is told that, and not that the statement took too long.
    lock_timeout: '2s',
    // What a vanished process had locked is free again after this long.
    idle_in_transaction_session_timeout: '10s',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    jit: 'off',
  }
}

/**
 * How long we wait for a connection, and then for an answer, in milliseconds. The answer may take longer than the server lets a
 * statement run: then the server's own refusal arrives, and the connection lives on.
 */
export const waits = { connectMs: 5000, answerMs: statementTimeoutMs + 1000 }

/** The same for statements that nobody waits for. */
export const longWaits = { statementTimeout: inSeconds(20_000), answerMs: 21_000 }

function inSeconds(ms: number): string {
  return `${ms / 1000}s`
}
